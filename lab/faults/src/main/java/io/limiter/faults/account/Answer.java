package io.limiter.faults.account;

import io.limiter.Decision;
import io.limiter.LimiterBackendException;

/** What became of a call. */
public enum Answer {
    /** Nothing yet: the call was under way when its JVM was killed. It may have taken permits. */
    PENDING,
    /** Redis decided. */
    REDIS,
    /** An earlier rejection by Redis, which still held. */
    REJECTION_CACHE,
    /** Permits prefetched from Redis. */
    PREFETCH,
    /** The JVM decided alone. */
    LOCAL,
    /** The failure policy granted or rejected without state. */
    POLICY,
    /** The key is banned or exempt. */
    OVERRIDE,
    /** An exception that says that Redis may have executed the call. */
    AMBIGUOUS,
    /** An exception that says that nothing was taken. */
    NOT_EXECUTED,
    /** An exception because the factory was closed. */
    CLOSED,
    /** Any other exception. */
    ERROR,
    /** A lease, held from the call to the return. */
    LEASE,
    /** The control thread, which only parks: when it should have gone on, and when it did. */
    CONTROL,
    /** The factory was closed: from when on, and when that had returned. */
    CLOSING,
    /** A warning, at the end of the window that it is about. */
    WARNING;

    private static final Answer[] VALUES = values();

    static Answer of(int ordinal) {
        return VALUES[ordinal];
    }

    public static Answer of(Decision.Source source) {
        return switch (source) {
            case BACKEND -> REDIS;
            case REJECTION_CACHE -> REJECTION_CACHE;
            case PREFETCH -> PREFETCH;
            case LOCAL -> LOCAL;
            case POLICY -> POLICY;
            case OVERRIDE -> OVERRIDE;
        };
    }

    public static Answer of(LimiterBackendException failure) {
        if (failure.isAmbiguous()) {
            return AMBIGUOUS;
        }
        return failure.kind() == LimiterBackendException.Kind.CLOSED ? CLOSED : NOT_EXECUTED;
    }

    /** Whether a caller has called and has an answer. */
    public boolean isDecision() {
        return compareTo(PENDING) > 0 && compareTo(LEASE) < 0;
    }

    /** Whether Redis decided, now or a moment ago. */
    public boolean isOfRedis() {
        return this == REDIS || this == REJECTION_CACHE || this == PREFETCH;
    }
}
