package io.limiter.spring.internal.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Who calls an endpoint. */
public final class Operator {

    /** As {@link io.limiter.live.ChangeNote} allows. */
    private static final int MAX_NAME = 100;

    private Operator() {}

    /**
     * The user who is logged in, otherwise who the request names; cut to {@value #MAX_NAME} characters.
     *
     * @param named by the request; used without a login
     * @throws IllegalArgumentException if that is unknown
     */
    public static String name(SecurityContext security, @Nullable String named) {
        String known = security.getPrincipal() == null
                ? named
                : security.getPrincipal().getName();
        if (known == null || known.isBlank()) {
            throw new IllegalArgumentException("who must be set, because no user is logged in");
        }
        return known.length() > MAX_NAME ? known.substring(0, MAX_NAME) : known;
    }
}
