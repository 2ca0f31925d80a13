package io.limiter.spring.client;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/** What a native image keeps of this module: the properties that are bound without a bean, and the proxies of customizers and builders. */
final class ClientHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        BindableRuntimeHintsRegistrar.forTypes(ClientProperties.class, ClientSettings.class)
                .registerHints(hints, loader);
        Stream.concat(BuilderCustomizer.TYPES.keySet().stream(), BuilderCustomizer.TYPES.values().stream())
                .filter(type -> !type.equals(BuilderCustomizer.REST_TEMPLATE))
                .distinct()
                .forEach(type -> hints.proxies().registerJdkProxy(TypeReference.of(type)));
    }
}
