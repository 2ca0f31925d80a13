package io.limiter.spring.cloud;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/** What a native image keeps of this module: its properties, and what the gateways bind and call, which keep their own alone. */
final class GatewayHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        BindableRuntimeHintsRegistrar.forTypes(GatewayProperties.class).registerHints(hints, loader);
        // By their names, because each needs the server that it is for.
        hints.reflection()
                .registerTypeIfPresent(
                        loader,
                        "io.limiter.spring.cloud.LimitGatewayFilterFactory$Config",
                        MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS,
                        MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerTypeIfPresent(
                        loader, "io.limiter.spring.cloud.LimitFilterFunctions", MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
