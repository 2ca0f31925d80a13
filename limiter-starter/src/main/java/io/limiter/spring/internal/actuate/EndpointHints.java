package io.limiter.spring.internal.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * What a native image keeps of this module: what the endpoints answer, because their operations declare only objects, and the
 * definitions of limits that they show.
 */
final class EndpointHints implements RuntimeHintsRegistrar {

    private static final String LIVE = "io.limiter.spring.internal.live.LiveDescription";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(
                        hints.reflection(),
                        LimitersDescription.class,
                        LimitDescription.class,
                        KeyDescription.class,
                        EndpointProblems.Conflict.class,
                        // By name: that package depends on this one.
                        ClassUtils.resolveClassName(LIVE, loader));
    }
}
