package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.BanSettings;
import io.limiter.spring.settings.LimitSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * What a native image keeps of this module: the messages, the properties that are bound without a bean, and the proxy of requests
 * that have a snapshot.
 */
final class StarterHints implements RuntimeHintsRegistrar {

    private static final String SERVLET_REQUEST = "jakarta.servlet.http.HttpServletRequest";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("io/limiter/spring/web/messages*.properties")
                // Names the properties of other modules.
                .registerPattern("META-INF/spring/" + PropertyNames.class.getName() + ".imports");
        if (ClassUtils.isPresent(SERVLET_REQUEST, loader)) {
            hints.proxies().registerJdkProxy(builder -> builder.proxiedInterfaces(TypeReference.of(SERVLET_REQUEST)));
        }
        BindableRuntimeHintsRegistrar.forTypes(
                        LimiterProperties.class,
                        NamedProperties.class,
                        HttpRule.class,
                        LimitSettings.class,
                        BanSettings.class)
                .registerHints(hints, loader);
    }
}
