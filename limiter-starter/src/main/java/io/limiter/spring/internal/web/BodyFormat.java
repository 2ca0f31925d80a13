package io.limiter.spring.internal.web;

/** The body of a rejection. */
public enum BodyFormat {

    /** A problem (RFC 9457) as JSON. */
    PROBLEM,

    /** The message alone, as plain text. */
    TEXT,

    /** Nothing. */
    NONE
}
