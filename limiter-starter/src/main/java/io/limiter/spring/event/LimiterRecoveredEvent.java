package io.limiter.spring.event;

import io.limiter.FailingLimiter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limiter has recovered from a permanent failure; see {@link io.limiter.LimiterListener#limiterRecovered}.
 */
public final class LimiterRecoveredEvent {

    private final FailingLimiter limiter;

    private LimiterRecoveredEvent(FailingLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
    }

    /** With these values. Applications need it in tests only. */
    public static LimiterRecoveredEvent of(FailingLimiter limiter) {
        return new LimiterRecoveredEvent(limiter);
    }

    /** The limiter with its last failure. */
    public FailingLimiter limiter() {
        return limiter;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LimiterRecoveredEvent that && limiter.equals(that.limiter);
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
