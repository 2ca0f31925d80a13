package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Check;
import io.limiter.internal.arithmetic.ZoneClock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * At most {@code limit} permits in a window of length {@code period}, which opens with its first request. An
 * {@linkplain #withZone aligned} one ends by the clock of a time zone instead, for example a daily quota.
 *
 * <p>Exact within each window. Across a boundary, up to twice the limit can be granted in one period: all of the first
 * window at its end, all of the second at its start. A {@link TokenBucket} has no boundaries.
 *
 * <p>A rejected request does not change the window. A changed limit or period applies to the open window at once:
 * granted permits stay counted, and the window ends at most one new period from now. So does a window when the clock
 * steps back. Limiters with different periods should share a window only while a new version is rolled out, because the
 * shortest period ends it for all.
 *
 * @param limit the most permits in one window, at least 1
 * @param period the length of a window, from 1 ms to 1,000 days; an aligned one must divide a day
 * @param zone the time zone of aligned windows; {@code null} if they open with their first request
 */
public record FixedWindow(
        int limit, Duration period, @Nullable ZoneId zone) implements Limit<FixedWindow.State> {

    private static final Duration DAY = Duration.ofDays(1);

    public FixedWindow {
        Check.range("limit", limit, 1, Integer.MAX_VALUE);
        Check.duration("period", period, Duration.ofMillis(1));
        if (zone != null && DAY.toNanos() % period.toNanos() != 0) {
            throw new IllegalArgumentException(
                    "period of an aligned window must be a day, or go into a day a whole number"
                            + " of times, such as a minute or an hour, was " + period);
        }
    }

    /** Windows that open with their first request. */
    public static FixedWindow of(int limit, Duration period) {
        return new FixedWindow(limit, period, null);
    }

    /**
     * This limit with aligned windows: they end with each minute, hour or day of this zone. When the zone changes its
     * offset, the window becomes shorter or longer by the change, like a day of 23 or 25 hours, unless it is no longer
     * than the change.
     *
     * @throws IllegalArgumentException if the period does not divide a day
     */
    public FixedWindow withZone(ZoneId newZone) {
        return new FixedWindow(limit, period, Objects.requireNonNull(newZone, "zone"));
    }

    public long periodMicros() {
        return Check.micros(period);
    }

    @Override
    public Class<State> stateType() {
        return State.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public FixedWindow scaled(double share) {
        return share == 1.0 ? this : new FixedWindow(Check.share(limit, share), period, zone);
    }

    @Override
    public String keySuffix() {
        return ":window";
    }

    /** Windows have no reservations, so the timeout is ignored. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        request.checkNoId(this);
        double now = nowMicros;
        double count = 0.0;
        double end = windowEnd(nowMicros);
        boolean open = state != null && state.windowEndMicros() > now;
        boolean shortened = false;
        if (state != null && open) {
            count = state.count();
            shortened = state.windowEndMicros() > end;
            end = Math.min(end, state.windowEndMicros());
        }
        // If the window of the ticket has ended, its permits are not in this one.
        boolean ofThisWindow = state != null && (request.id() == 0 || request.id() == state.windowEndMicros());
        boolean refunded = open && ofThisWindow && request.action() == Request.Action.REFUND;
        boolean granted = !request.mayBeRejected() || count + request.permits() <= limit;
        boolean taken = granted && request.takes();
        double after = taken ? count + request.permits() : refunded ? Math.max(0.0, count - request.permits()) : count;
        long untilReset = taken || open ? (long) (end - now) : 0;
        long retry = granted ? 0 : request.permits() > limit ? Decision.NEVER_MICROS : untilReset;
        boolean save = taken || refunded || (shortened && !request.isPeek());
        return new Step<>(
                save ? new State(after, end / 1000.0) : state,
                Decision.withoutReservations(granted, limit, limit - after, retry, untilReset, taken ? (long) end : 0));
    }

    /** The end of a window that opens now. */
    private double windowEnd(long nowMicros) {
        double period = periodMicros();
        if (zone == null) {
            return nowMicros + period;
        }
        ZoneClock clock = ZoneClock.at(zone, nowMicros);
        double local = nowMicros + clock.offsetMicros();
        double localEnd = local - local % period + period;
        double end = localEnd - clock.offsetMicros();
        if (end >= clock.changesAtMicros() && period > Math.abs(clock.nextOffsetMicros() - clock.offsetMicros())) {
            double changed = localEnd - clock.nextOffsetMicros();
            // The change of the offset may skip the end.
            return changed >= clock.changesAtMicros() ? changed : end;
        }
        return end;
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Check.lifetimeMillis(state.windowEndMicros() - nowMicros);
    }

    /**
     * The state of a {@link FixedWindow}.
     *
     * @param count permits taken in the window, a whole number of at least 0
     * @param windowEndMillis when the window ends, in milliseconds since the epoch, to the microsecond
     */
    public record State(
            @JsonProperty(required = true) double count,
            @JsonProperty(required = true) double windowEndMillis) {

        public State {
            if (!(count >= 0
                    && count % 1.0 == 0.0
                    && windowEndMillis >= 0
                    && windowEndMillis < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "not a window's state: count " + count + ", windowEndMillis " + windowEndMillis);
            }
        }

        double windowEndMicros() {
            return Math.floor(windowEndMillis * 1000.0 + 0.5);
        }
    }
}
