package io.limiter.spring.web;

/** What the body of a refusal is. */
public enum ProblemBody {

    /** A problem (RFC 9457) as JSON. */
    PROBLEM,

    /** The message alone, as plain text. */
    TEXT,

    /** Nothing. */
    NONE
}
