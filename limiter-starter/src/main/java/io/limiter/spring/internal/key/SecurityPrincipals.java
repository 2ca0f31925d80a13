package io.limiter.spring.internal.key;

import io.limiter.spring.key.CurrentUser;
import java.security.Principal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolderStrategy;

/** Finds whom Spring Security has authenticated, otherwise the principal of another source. */
public final class SecurityPrincipals {

    private static final AuthenticationTrustResolver TRUST = new AuthenticationTrustResolverImpl();

    private SecurityPrincipals() {}

    /**
     * The current user of a thread.
     *
     * @param contexts called each time, because the strategy can change
     * @param otherwise for anonymous callers and those without authentication
     */
    public static CurrentUser currentUser(
            Supplier<SecurityContextHolderStrategy> contexts, Supplier<? extends @Nullable Principal> otherwise) {
        return new PrincipalUser(() -> {
            Authentication authentication = contexts.get().getContext().getAuthentication();
            return authentication != null && isKnown(authentication) ? authentication : otherwise.get();
        });
    }

    /** Whether it is an authenticated user. Spring Security also has principals for anonymous callers. */
    public static boolean isKnown(Principal principal) {
        return !(principal instanceof Authentication authentication)
                || authentication.isAuthenticated() && !TRUST.isAnonymous(authentication);
    }
}
