package io.limiter.spring.key.address;

/** Which header the trusted proxies write the caller's address to. */
public enum ForwardedHeader {

    /**
     * Whichever there is. A proxy that writes one may let the other through as the caller made it up, so if there are
     * both and they disagree, neither counts.
     */
    ANY,

    /** {@code X-Forwarded-For}, and no other. */
    X_FORWARDED_FOR,

    /** {@code Forwarded} (RFC 7239), and no other. */
    FORWARDED
}
