package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * Finds the user of the current call, for {@link io.limiter.spring.annotation.LimitType#USER}. A bean of this
 * type replaces the default. It is looked up once, so a bean of a narrower scope must be a scoped proxy.
 */
@FunctionalInterface
public interface CurrentUser {

    /**
     * The name of the authenticated user, or {@code null} if the caller is anonymous. Called in the thread of the
     * limited call.
     */
    @Nullable
    String name();

    /** A claim of the user's token, for rules, or {@code null} if there is none. Default: none. */
    default @Nullable String claim(String claim) {
        return null;
    }
}
