package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * At most {@code limit} permits in a window of length {@code period}, which opens with its first request or, if it is
 * {@linkplain #alignedTo aligned}, ends by the clock of a time zone, as plans of so many calls a day do.
 *
 * <p>Exact within each window. Two neighbouring windows can put up to twice the limit into one period: all of the first
 * at its end, all of the second at its start. A {@link TokenBucket} has no such edge.
 *
 * <p>A rejected request takes nothing and does not lengthen the window. A limit or period that changes while a window is
 * open applies at once: what was taken stays taken, and the window ends no later than the new period allows. The same
 * rule ends a window that a clock's step back would have stretched. So limiters that share a window should agree on its
 * period but while a new version is rolled out: the shortest ends it for all.
 *
 * @param limit the most permits in one window, at least 1
 * @param period the length of a window, from 1 ms to 1,000 days; if it is aligned, a whole part of a day
 * @param zone whose clock the windows are aligned to; {@code null} if they open with their first request
 */
public record FixedWindow(
        int limit, Duration period, @Nullable ZoneId zone) implements Limit<FixedWindow.State> {

    private static final Duration DAY = Duration.ofDays(1);
    private static final long EXPIRE_MARGIN_MILLIS = 1000;

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
     * The same with windows that end by the clock: with each minute, hour or day of this zone. A window in which the zone changes its
     * offset is as much shorter or longer, as a day of 23 or 25 hours is; windows no longer than that change keep their
     * length.
     *
     * @throws IllegalArgumentException if the period is not a day, nor goes into a day a whole number of times
     */
    public FixedWindow alignedTo(ZoneId newZone) {
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

    /** A window cannot be reserved ahead, so the timeout makes no difference. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        Check.noId(request, this);
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
        // Its window may have ended since, and the next one has none of its permits.
        boolean ofThisWindow = state != null && (request.id() == 0 || request.id() == state.windowEndMicros());
        boolean givenBack = open && ofThisWindow && request.action() == Request.Action.REFUND;
        boolean charged = request.action() == Request.Action.CHARGE;
        boolean granted = charged || request.action() == Request.Action.REFUND || count + request.permits() <= limit;
        boolean taken = charged || granted && request.action() == Request.Action.TAKE;
        double after = taken ? count + request.permits() : givenBack ? Math.max(0.0, count - request.permits()) : count;
        long untilReset = taken || open ? (long) (end - now) : 0;
        long retry = granted ? 0 : request.permits() > limit ? Decision.NEVER_MICROS : untilReset;
        boolean save = taken || givenBack || (shortened && !request.peek());
        return new Step<>(
                save ? new State(after, end / 1000.0) : state,
                new Decision(
                        granted,
                        limit,
                        (long) Math.max(0.0, limit - after),
                        retry,
                        retry,
                        untilReset,
                        Decision.Source.BACKEND,
                        taken ? (long) end : 0));
    }

    /** When a window that opens now ends. */
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
            // The clocks may skip what would have been the end.
            return changed >= clock.changesAtMicros() ? changed : end;
        }
        return end;
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Math.max(0, (long) Math.ceil((state.windowEndMicros() - nowMicros) / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }

    /**
     * The state of a {@link FixedWindow}.
     *
     * @param count permits taken in the window, at least 0
     * @param windowEndMillis when the window ends, in milliseconds since the epoch, to the microsecond
     */
    public record State(
            @JsonProperty(required = true) double count,
            @JsonProperty(required = true) double windowEndMillis) {

        public State {
            if (!(count >= 0
                    && count < Double.POSITIVE_INFINITY
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
