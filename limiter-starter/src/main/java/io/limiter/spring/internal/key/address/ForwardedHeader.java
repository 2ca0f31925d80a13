package io.limiter.spring.internal.key.address;

/** The header that the trusted proxies write the caller's address to. */
public enum ForwardedHeader {

    /**
     * The one that the request has. A proxy that writes one may pass on a forged other one, so if both are there and
     * disagree, neither counts.
     */
    ANY,

    /** {@code X-Forwarded-For}, and no other. */
    X_FORWARDED_FOR,

    /** {@code Forwarded} (RFC 7239), and no other. */
    FORWARDED
}
