package io.limiter.algorithm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * About {@code limit} permits in any interval of length {@code period}, from two numbers: a sliding window counter.
 *
 * <p>Time is cut into windows of one period, aligned to the clock's epoch. Of the previous window's permits, the share
 * counts that still lies within one period if they were taken evenly:
 *
 * <pre>
 *   estimate = previous * (1 - elapsed / period) + current       granted if estimate + permits &lt;= limit
 * </pre>
 *
 * <p>Memory and time are constant whatever the limit, and the price is that permits are not taken evenly. Measured at 100
 * permits a minute, by {@code SlidingCounterErrorTest}: at most 102 permits in any minute if five times as many are asked
 * for at random, 118 at random and just at the limit, 180 in bursts of 50, and 198 by a caller who knows the windows: full
 * at the end of one, and on as fast as it fades. So the bound is twice the limit, as for a {@link FixedWindow}, but it
 * takes intent to get there. Where the limit must hold, take a {@link SlidingLog}.
 *
 * <p>A rejected request adds nothing. Permits that are refunded are taken from the current window first, those that are
 * cancelled from the window in which they were granted. What is charged counts even above the limit, up to 2<sup>52</sup>
 * permits. If the clock steps back into another window, everything that
 * still counts is taken as if it had been taken now, so nothing is freed and no caller is rejected for longer than two periods.
 *
 * <p>Limiters of two periods can share permits, as they do while a new version is rolled out: each decides by windows of
 * its own period, in which the permits of all count. When a period comes that is new to a state, its windows start with what
 * is known: each permit counts as taken when it can have been taken last. Of three or more periods in use at the same
 * time, two have windows of their own, the longest one and another; any further limiter decides by the next longer windows.
 *
 * @param limit the most permits, from 1 to 2,147,483,647
 * @param period the length of a window, from 1 ms to 1,000 days
 */
public record SlidingCounter(int limit, Duration period) implements Limit<WindowPair> {

    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    public SlidingCounter {
        Check.range("limit", limit, 1, Integer.MAX_VALUE);
        Check.duration("period", period, Duration.ofMillis(1));
    }

    /** At most about so many permits in any interval of this length. */
    public static SlidingCounter of(int limit, Duration period) {
        return new SlidingCounter(limit, period);
    }

    public long periodMicros() {
        return Check.micros(period);
    }

    @Override
    public Class<WindowPair> stateType() {
        return WindowPair.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public SlidingCounter scaled(double share) {
        return share == 1.0 ? this : new SlidingCounter(Check.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":counter";
    }

    /** Nothing is booked ahead, so the timeout makes no difference. */
    @Override
    public Step<WindowPair> step(@Nullable WindowPair state, long nowMicros, Request request) {
        Check.noId(request, this);
        double now = nowMicros;
        WindowPair pair = pairAt(state, now);
        double elapsed = now - pair.startMicros();
        int permits = request.permits();
        boolean fits = pair.carried(elapsed) + pair.current() + permits <= limit;
        WindowPair after = switch (request.action()) {
            case TAKE -> fits ? pair.plus(permits) : pair;
            case PEEK, RENEW -> pair;
            case REFUND -> request.id() == 0 ? pair.minus(permits) : pair.without(permits, request.id());
            case CHARGE -> pair.plus(permits);
        };
        boolean asks = request.action() == Request.Action.TAKE || request.peek();
        boolean granted = fits || !asks;
        long retry = granted ? 0 : permits > limit ? Decision.NEVER_MICROS : (long) retryMicros(pair, elapsed, permits);
        double left = Math.max(0.0, limit - after.carried(elapsed) - after.current());
        boolean mustBeSaved = state != null && state.mustBeSaved(pair.periodMicros(), now);
        boolean save = !after.equals(pair) || (mustBeSaved && !request.peek());
        boolean taken =
                granted && (request.action() == Request.Action.TAKE || request.action() == Request.Action.CHARGE);
        return new Step<>(
                save ? after : state,
                new Decision(
                        granted,
                        limit,
                        (long) left,
                        retry,
                        retry,
                        (long) resetMicros(after, elapsed),
                        Decision.Source.BACKEND,
                        taken ? nowMicros : 0));
    }

    private WindowPair pairAt(@Nullable WindowPair state, double now) {
        if (state == null) {
            return new WindowPair(0.0, 0.0, WindowPair.startOf(now, periodMicros()), periodMicros());
        }
        return state.at(now).under(periodMicros(), now);
    }

    /** In this window as the previous one fades, or in the next, in which this one does. */
    private double retryMicros(WindowPair pair, double elapsed, int permits) {
        double room = limit - permits - pair.current();
        if (room >= 0.0) {
            return fadesAt(pair, room) - elapsed;
        }
        double period = pair.periodMicros();
        WindowPair next = new WindowPair(pair.current(), 0.0, pair.startMicros() + period, period);
        return period - elapsed + fadesAt(next, limit - permits);
    }

    /** The first microsecond of a window in which no more than so much of the previous one counts. */
    private double fadesAt(WindowPair pair, double room) {
        if (pair.previous() <= room) {
            return 0.0;
        }
        double period = pair.periodMicros();
        double at = Math.ceil(period - room * period / pair.previous());
        // The division may have rounded; what counts is what a caller meets who comes then.
        while (at > 0.0 && pair.carried(at - 1.0) <= room) {
            at--;
        }
        while (pair.carried(at) > room) {
            at++;
        }
        return at;
    }

    private double resetMicros(WindowPair pair, double elapsed) {
        double windows = pair.current() > 0.0 ? 2.0 : pair.previous() > 0.0 ? 1.0 : 0.0;
        return windows == 0.0 ? 0.0 : windows * pair.periodMicros() - elapsed;
    }

    @Override
    public long lifetimeMillis(WindowPair state, long nowMicros) {
        return Math.max(0, (long) Math.ceil(state.leavesMicros(nowMicros) / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }
}
