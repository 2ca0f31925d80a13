package io.limiter.spring.autoconfigure;

import io.limiter.internal.parameters.Anchor;
import io.limiter.internal.parameters.Per;
import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.internal.settings.BanSettings;
import io.limiter.spring.internal.settings.LimitSettings;
import io.limiter.spring.internal.web.RejectionResponses;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * What a native image keeps of this module: the messages, the bodies of rejections, the properties that are bound without a bean, the
 * proxy of requests that have a snapshot, and what is called by name because it may be missing.
 */
final class StarterHints implements RuntimeHintsRegistrar {

    private static final String SERVLET_REQUEST = "jakarta.servlet.http.HttpServletRequest";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("io/limiter/spring/internal/web/messages*.properties")
                // Names the properties of other modules.
                .registerPattern("META-INF/spring/" + PropertyNames.class.getName() + ".imports");
        if (ClassUtils.isPresent(SERVLET_REQUEST, loader)) {
            hints.proxies().registerJdkProxy(builder -> builder.proxiedInterfaces(TypeReference.of(SERVLET_REQUEST)));
        }
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), RejectionResponses.bodies());
        // These types are of libraries that may be missing. An image ignores missing types.
        PrincipalUser.readTypes()
                .forEach(type ->
                        hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS));
        // Spring Boot's binder calls its valueOf.
        hints.reflection()
                .registerTypes(
                        List.of(TypeReference.of(Per.class), TypeReference.of(Anchor.class)),
                        type -> type.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
        // Java 17 has no virtual threads.
        hints.reflection()
                .registerType(Thread.class, type -> type.withMethod("ofVirtual", List.of(), ExecutableMode.INVOKE))
                .registerType(TypeReference.of("java.lang.Thread$Builder"), MemberCategory.INVOKE_PUBLIC_METHODS);
        BindableRuntimeHintsRegistrar.forTypes(
                        LimiterProperties.class,
                        NamedProperties.class,
                        HttpRuleSettings.class,
                        LimitSettings.class,
                        BanSettings.class)
                .registerHints(hints, loader);
    }
}
