package io.limiter.spring.key;

import java.security.Principal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolderStrategy;

/** The user that Spring Security has authenticated, otherwise the user of another source. */
public final class SecurityCurrentUser implements CurrentUser {

    private static final AuthenticationTrustResolver TRUST = new AuthenticationTrustResolverImpl();

    private final Supplier<SecurityContextHolderStrategy> contexts;
    private final CurrentUser otherwise;

    /**
     * @param contexts called each time, because the strategy can change
     * @param otherwise for anonymous callers and those without authentication
     */
    public SecurityCurrentUser(Supplier<SecurityContextHolderStrategy> contexts, CurrentUser otherwise) {
        this.contexts = contexts;
        this.otherwise = otherwise;
    }

    @Override
    public @Nullable String name() {
        Authentication authentication = contexts.get().getContext().getAuthentication();
        return authentication != null && isKnown(authentication) ? authentication.getName() : otherwise.name();
    }

    @Override
    public @Nullable String claim(String claim) {
        Authentication authentication = contexts.get().getContext().getAuthentication();
        return authentication != null && isKnown(authentication)
                ? UserClaims.of(authentication, claim)
                : otherwise.claim(claim);
    }

    /** Whether it is an authenticated user. Spring Security also has principals for anonymous callers. */
    public static boolean isKnown(Principal principal) {
        return !(principal instanceof Authentication authentication)
                || authentication.isAuthenticated() && !TRUST.isAnonymous(authentication);
    }
}
