package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reads the claims of a user's token: the entries of {@code claims} or {@code attributes} of what Spring Security has authenticated,
 * such as a JWT or a user of OpenID Connect. By the names of the methods, because their types are in an optional library.
 */
public final class UserClaims {

    private static final ClassValue<Optional<Method>> PRINCIPAL = method("getPrincipal", Object.class);
    private static final ClassValue<Optional<Method>> CLAIMS = method("getClaims", Map.class);
    private static final ClassValue<Optional<Method>> ATTRIBUTES = method("getAttributes", Map.class);

    private UserClaims() {}

    /** The value of a claim that is a text, a number or a boolean; {@code null} if there is none. */
    public static @Nullable String of(Principal user, String claim) {
        Object inner = read(PRINCIPAL, user);
        Object holder = inner == null ? user : inner;
        Object claims = read(CLAIMS, holder);
        Object all = claims == null ? read(ATTRIBUTES, holder) : claims;
        Object value = all instanceof Map<?, ?> map ? map.get(claim) : null;
        return value instanceof CharSequence || value instanceof Number || value instanceof Boolean
                ? value.toString()
                : null;
    }

    private static @Nullable Object read(ClassValue<Optional<Method>> getter, Object from) {
        return getter.get(from.getClass())
                .map(method -> ReflectionUtils.invokeMethod(method, from))
                .orElse(null);
    }

    private static ClassValue<Optional<Method>> method(String name, Class<?> type) {
        return new ClassValue<>() {
            @Override
            protected Optional<Method> computeValue(Class<?> owner) {
                return Optional.ofNullable(ClassUtils.getMethodIfAvailable(owner, name))
                        .filter(method -> type.isAssignableFrom(method.getReturnType()))
                        // The class itself may not be public.
                        .map(method -> ClassUtils.getInterfaceMethodIfPossible(method, owner));
            }
        };
    }
}
