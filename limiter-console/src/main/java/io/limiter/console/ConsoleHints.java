package io.limiter.console;

import io.limiter.console.internal.wire.Wire;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image keeps of this module: the page, and what it reads and writes as JSON. */
final class ConsoleHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("io/limiter/console/page/*")
                // To Spring 7, an asterisk is not for other folders.
                .registerPattern("io/limiter/console/page/chart/*");
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), Wire.class.getDeclaredClasses());
    }
}
