package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.BanSettings;
import io.limiter.spring.settings.LimitSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/** What a native image keeps of this module: the messages, and the properties that are bound without a bean. */
final class StarterHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("io/limiter/spring/web/messages*.properties")
                // Names the properties of other modules.
                .registerPattern("META-INF/spring/" + PropertyNames.class.getName() + ".imports");
        BindableRuntimeHintsRegistrar.forTypes(
                        LimiterProperties.class,
                        NamedProperties.class,
                        HttpRule.class,
                        LimitSettings.class,
                        BanSettings.class)
                .registerHints(hints, loader);
    }
}
