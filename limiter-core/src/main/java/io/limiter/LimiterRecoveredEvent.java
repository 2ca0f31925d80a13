package io.limiter;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A limiter has recovered from a permanent failure. See {@link LimiterListener#onLimiterRecovered}. */
public final class LimiterRecoveredEvent {

    private final FailingLimiter limiter;

    private LimiterRecoveredEvent(FailingLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
    }

    /** An event with these values. */
    public static LimiterRecoveredEvent of(FailingLimiter limiter) {
        return new LimiterRecoveredEvent(limiter);
    }

    /** With its last failure. */
    public FailingLimiter limiter() {
        return limiter;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof LimiterRecoveredEvent that && limiter.equals(that.limiter);
    }

    @Override
    public int hashCode() {
        return limiter.hashCode();
    }

    @Override
    public String toString() {
        return "LimiterRecoveredEvent[limiter=" + limiter + "]";
    }
}
