package io.limiter.spring.annotation;

/** The kind of key of the permits. */
public enum LimitType {

    /**
     * The caller's IP. Behind a reverse proxy, say which one to trust with {@code limiter.key.trusted-proxies};
     * otherwise all callers come from its address and share one limit. Needs a request: a servlet one in the calling thread,
     * or in WebFlux an exchange in Reactor's context.
     */
    IP,

    /**
     * The authenticated user: Spring Security's where it is present, otherwise the request's principal. Anonymous
     * callers are limited by their IP.
     */
    USER,

    /** All callers of the method share the permits. */
    METHOD,

    /** The annotation's {@code key}, such as <code>#{phone}</code>, which implies this. */
    CUSTOM
}
