package io.limiter.spring.web;

/**
 * The responses to rejected requests.
 *
 * @param status for an exceeded limit, from 400 to 599
 * @param message the detail, or the code of a message in braces; empty for the default
 */
public record RejectionResponseSettings(int status, HeaderSet headers, BodyFormat body, String message) {

    /** 429, with {@code RateLimit} headers and a problem body. */
    public static final RejectionResponseSettings DEFAULT =
            new RejectionResponseSettings(429, HeaderSet.RATELIMIT, BodyFormat.PROBLEM, "");

    public RejectionResponseSettings {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("status must be between 400 and 599, was " + status);
        }
    }
}
