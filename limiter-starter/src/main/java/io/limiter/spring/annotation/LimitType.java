package io.limiter.spring.annotation;

/** The kind of key of the permits. */
public enum LimitType {

    /**
     * The caller's IP. Behind a reverse proxy, name the proxy in {@code limiter.key.trusted-proxies}, because otherwise all callers have
     * its address and share one limit. This needs a servlet request in the calling thread, or in WebFlux an exchange in Reactor's context.
     */
    IP,

    /**
     * The authenticated user: that of Spring Security, or without it the principal of the request. Anonymous callers are limited by
     * their IP.
     */
    USER,

    /** All callers of the method share the permits. */
    METHOD,

    /** The annotation's {@code key}, such as <code>#{phone}</code>, which implies this. */
    CUSTOM
}
