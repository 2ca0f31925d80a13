package io.limiter;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a limit is used at which it warns. See {@link LimiterOptions#withWarnAt}. A separate thread publishes the event, in the instance
 * whose request used that much. It is lost if Redis's reply is lost, and if 10,000 other warnings wait for a slow listener.
 */
public final class LimitWarningEvent {

    private final String limiter;
    private final List<String> keys;
    private final long used;
    private final long limit;
    private final Instant periodEnd;

    private LimitWarningEvent(String limiter, List<String> keys, long used, long limit, Instant periodEnd) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
        this.used = used;
        this.limit = limit;
        this.periodEnd = Objects.requireNonNull(periodEnd, "periodEnd");
    }

    /** An event with these values. */
    public static LimitWarningEvent of(String limiter, List<String> keys, long used, long limit, Instant periodEnd) {
        return new LimitWarningEvent(limiter, keys, used, limit, periodEnd);
    }

    /** The limiter's name. */
    public String limiter() {
        return limiter;
    }

    /** The keys of the {@linkplain Limiter#keys() key path}. Empty for the permits of the limiter itself. */
    public List<String> keys() {
        return keys;
    }

    /** How many permits are used in the period. It is more than the limit if more were charged. */
    public long used() {
        return used;
    }

    /** How many permits the limit grants in the period. */
    public long limit() {
        return limit;
    }

    /** When the period ends, according to Redis's clock. */
    public Instant periodEnd() {
        return periodEnd;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof LimitWarningEvent that
                        && limiter.equals(that.limiter)
                        && keys.equals(that.keys)
                        && used == that.used
                        && limit == that.limit
                        && periodEnd.equals(that.periodEnd);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limiter, keys, used, limit, periodEnd);
    }

    @Override
    public String toString() {
        return "LimitWarningEvent[limiter=" + limiter + ", keys=" + keys + ", used=" + used + ", limit=" + limit
                + ", periodEnd=" + periodEnd + "]";
    }
}
