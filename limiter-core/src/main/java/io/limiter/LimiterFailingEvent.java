package io.limiter;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A limiter has a permanent failure. See {@link LimiterListener#onLimiterFailing}. */
public final class LimiterFailingEvent {

    private final FailingLimiter limiter;

    private LimiterFailingEvent(FailingLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
    }

    /** An event with these values. */
    public static LimiterFailingEvent of(FailingLimiter limiter) {
        return new LimiterFailingEvent(limiter);
    }

    /** With its failure. */
    public FailingLimiter limiter() {
        return limiter;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof LimiterFailingEvent that && limiter.equals(that.limiter);
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
