package io.limiter.spring.event;

import io.limiter.FailingLimiter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limiter has a permanent failure; see {@link io.limiter.LimiterListener#limiterFailing}.
 */
public final class LimiterFailingEvent {

    private final FailingLimiter limiter;

    private LimiterFailingEvent(FailingLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
    }

    /** With these values. Applications need it in tests only. */
    public static LimiterFailingEvent of(FailingLimiter limiter) {
        return new LimiterFailingEvent(limiter);
    }

    /** The limiter with its failure. */
    public FailingLimiter limiter() {
        return limiter;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LimiterFailingEvent that && limiter.equals(that.limiter);
    }

    @Override
    public int hashCode() {
        return limiter.hashCode();
    }

    @Override
    public String toString() {
        return "LimiterFailingEvent[limiter=" + limiter + "]";
    }
}
