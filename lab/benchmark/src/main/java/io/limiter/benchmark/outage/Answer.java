package io.limiter.benchmark.outage;

import io.limiter.Decision;

/** How a call ended. */
public enum Answer {
    /** Redis granted the permit. */
    GRANTED,
    /** Redis rejected the call. */
    REJECTED,
    /** An earlier rejection by Redis was repeated. */
    REJECTED_AGAIN,
    /** The instance granted the permit without Redis. */
    GRANTED_ALONE,
    /** The instance rejected the call without Redis. */
    REJECTED_ALONE,
    /** The caller got an exception. */
    FAILED,
    /** The caller still waited when the run ended. */
    NONE;

    static Answer of(Decision decision) {
        return switch (decision.source()) {
            case BACKEND -> ofRedis(decision.isGranted());
            case REJECTION_CACHE -> REJECTED_AGAIN;
            case LOCAL, POLICY -> alone(decision.isGranted());
            case PREFETCH, OVERRIDE ->
                throw new IllegalArgumentException("no limiter here decides by " + decision.source());
        };
    }

    static Answer ofRedis(boolean granted) {
        return granted ? GRANTED : REJECTED;
    }

    static Answer alone(boolean granted) {
        return granted ? GRANTED_ALONE : REJECTED_ALONE;
    }

    public boolean isGranted() {
        return this == GRANTED || this == GRANTED_ALONE;
    }

    /** Whether Redis decided this call itself. */
    public boolean isOfRedis() {
        return this == GRANTED || this == REJECTED;
    }
}
