package io.limiter.spring.internal.key;

import io.limiter.spring.key.CurrentUser;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The current user as a principal. Its claims are the entries of {@code claims} or {@code attributes} of the principal, or of what
 * that is an authentication of, such as a JWT or a user of OpenID Connect. They are read by the names of the methods, because
 * their types are in an optional library.
 */
public final class PrincipalUser implements CurrentUser {

    private static final Logger log = LoggerFactory.getLogger(PrincipalUser.class);

    private static final ClassValue<Optional<Method>> PRINCIPAL = method("getPrincipal", Object.class);
    private static final ClassValue<Optional<Method>> CLAIMS = method("getClaims", Map.class);
    private static final ClassValue<Optional<Method>> ATTRIBUTES = method("getAttributes", Map.class);

    /** The authentications of Spring Security whose methods are looked up by name. */
    private static final List<String> READ = List.of(
            "org.springframework.security.authentication.RememberMeAuthenticationToken",
            "org.springframework.security.authentication.TestingAuthenticationToken",
            "org.springframework.security.authentication.UsernamePasswordAuthenticationToken",
            "org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken",
            "org.springframework.security.cas.authentication.CasAuthenticationToken",
            "org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken",
            "org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal",
            "org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser",
            "org.springframework.security.oauth2.core.user.DefaultOAuth2User",
            "org.springframework.security.oauth2.jwt.Jwt",
            "org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication",
            "org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken",
            "org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionAuthenticatedPrincipal",
            "org.springframework.security.saml2.provider.service.authentication.DefaultSaml2AuthenticatedPrincipal",
            "org.springframework.security.saml2.provider.service.authentication.Saml2Authentication");

    private final Supplier<? extends @Nullable Principal> principals;

    /** @param principals called for each call; returns {@code null} for anonymous callers */
    public PrincipalUser(Supplier<? extends @Nullable Principal> principals) {
        this.principals = principals;
    }

    /** The names of the types that a native image needs the public methods of; a user of another type needs hints of the application. */
    public static List<String> readTypes() {
        return READ;
    }

    @Override
    public @Nullable String name() {
        Principal user = principals.get();
        return user == null ? null : user.getName();
    }

    @Override
    public @Nullable String claim(String claim) {
        Principal user = principals.get();
        if (user == null) {
            return null;
        }
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
                        .map(method -> ClassUtils.getPubliclyAccessibleMethodIfPossible(method, owner))
                        .filter(PrincipalUser::isAccessible);
            }
        };
    }

    /** The class of a public method need not be public. */
    private static boolean isAccessible(Method method) {
        boolean accessible = method.trySetAccessible();
        if (!accessible) {
            log.warn(
                    "Users have no claims of {}, because its module does not open the class: let it implement a public interface",
                    method);
        }
        return accessible;
    }
}
