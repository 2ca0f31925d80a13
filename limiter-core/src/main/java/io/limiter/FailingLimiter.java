package io.limiter;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A limiter that fails permanently, for all or some of its keys, so that its {@link FailurePolicy} decides. */
public final class FailingLimiter {

    private final String limiter;
    private final Instant since;
    private final LimiterBackendException failure;

    private FailingLimiter(String limiter, Instant since, LimiterBackendException failure) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.since = Objects.requireNonNull(since, "since");
        this.failure = Objects.requireNonNull(failure, "failure");
    }

    /**
     * A limiter that fails.
     *
     * @param limiter prefix and name
     * @param since the first failure
     * @param failure the last failure
     */
    public static FailingLimiter of(String limiter, Instant since, LimiterBackendException failure) {
        return new FailingLimiter(limiter, since, failure);
    }

    /** Prefix and name. */
    public String limiter() {
        return limiter;
    }

    /** The first failure. */
    public Instant since() {
        return since;
    }

    /** The last failure, with a remedy in its message. */
    public LimiterBackendException failure() {
        return failure;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof FailingLimiter that
                        && limiter.equals(that.limiter)
                        && since.equals(that.since)
                        && failure.equals(that.failure);
    }

    @Override
    public int hashCode() {
        int hash = limiter.hashCode();
        hash = 31 * hash + since.hashCode();
        hash = 31 * hash + failure.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "FailingLimiter[limiter=" + limiter + ", since=" + since + ", failure=" + failure + "]";
    }
}
