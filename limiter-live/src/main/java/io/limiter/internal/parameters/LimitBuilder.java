package io.limiter.internal.parameters;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds the limit of parameters, and finds the parameters of a limit. */
final class LimitBuilder {

    private final LimitParameters values;
    private final String places;

    /** @param places where parameters can be set, for messages */
    LimitBuilder(LimitParameters values, String places) {
        this.values = values;
        this.places = places;
    }

    /** The limit, after checking that it can ever grant these permits. */
    AnyLimit build(long permits) {
        AnyLimit built = built();
        checkCanBeGranted(permits, built, values.callTimeout());
        return built;
    }

    private AnyLimit built() {
        return switch (Objects.requireNonNull(values.kind(), "kind")) {
            case TOKEN_BUCKET -> tokenBucket(usual());
            case LEAKY_BUCKET, LEAKY_QUEUE -> leaky(whole(required("capacity", "100 (at least 1)")));
            case FIXED_WINDOW -> fixedWindow(limit(), per());
            case SLIDING_LOG -> SlidingLog.of(limit(), duration());
            case SLIDING_COUNTER -> SlidingCounter.of(limit(), duration());
            case CONCURRENT ->
                ConcurrencyLimit.of(limit()).withLeaseTime(values.value("lease", ConcurrencyLimit.DEFAULT_LEASE_TIME));
        };
    }

    private long limit() {
        return this.<Long>required("limit", "100 (at least 1)");
    }

    private TokenBucket leaky(long capacity) {
        double rate = usual().permitsPerSecond();
        return values.kind() == LimitKind.LEAKY_QUEUE
                ? LeakyBucket.queue(rate, capacity)
                : LeakyBucket.meter(rate, capacity).withMaxWait(maxWait());
    }

    private static long whole(Number capacity) {
        double permits = capacity.doubleValue();
        // Written so that NaN fails.
        if (!(permits >= 1 && permits == Math.rint(permits))) {
            throw new IllegalArgumentException("capacity must be a whole number of at least 1, was " + capacity);
        }
        return capacity.longValue();
    }

    private FixedWindow fixedWindow(long limit, Per per) {
        CalendarPeriod calendar = per.unit();
        ZoneId zone = values.value("zone");
        Anchor anchor = values.value("anchor");
        if (calendar == null) {
            checkNoCalendar("zone", zone);
            checkNoCalendar("anchor", anchor);
            return FixedWindow.of(limit, per.length());
        }
        calendar = zone == null ? calendar : calendar.in(zone);
        return FixedWindow.of(limit, anchor == null ? calendar : anchored(calendar, anchor));
    }

    private static CalendarPeriod anchored(CalendarPeriod calendar, Anchor anchor) {
        if (!calendar.hasAnchors()) {
            throw new IllegalArgumentException("anchor '" + anchor + "' has no effect on a " + calendar.unit()
                    + ": set per to week, month or year, or leave the anchor out");
        }
        return anchor.date() == null ? calendar : calendar.from(anchor.date());
    }

    private static void checkNoCalendar(String name, @Nullable Object value) {
        if (value != null) {
            throw new IllegalArgumentException(name + " '" + value + "' has no effect without a unit of the calendar:"
                    + " set per to one, such as day or month, or leave the " + name + " out");
        }
    }

    private Duration duration() {
        Per per = per();
        if (per.unit() != null) {
            throw new IllegalArgumentException(
                    "per '" + per + "' is a unit of the calendar, which only a fixed window can have, not kind "
                            + values.kind() + ": set per to " + per.similar());
        }
        return per.length();
    }

    private Per per() {
        return required("per", "15m");
    }

    /** How far ahead calls can reserve, which must not be less than they wait. */
    private Duration maxWait() {
        Duration usual = TokenBucket.DEFAULT_MAX_WAIT;
        return values.callTimeout().compareTo(usual) > 0 ? values.callTimeout() : usual;
    }

    /** The bucket of the rate alone, which holds as many permits as the number in the rate, and at least one. */
    private TokenBucket usual() {
        return TokenBucket.per(
                this.<Double>required("rate", "10"),
                values.value("per", Per.of(Duration.ofSeconds(1))).ofRate());
    }

    private TokenBucket tokenBucket(TokenBucket usual) {
        checkOneSize();
        TokenBucket bucket = sized(usual);
        if (values.values().containsKey("prefetch-calls") && values.prefetch() == null) {
            throw new IllegalArgumentException(
                    "prefetch-calls has no effect without prefetch-time: set that, or leave both out");
        }
        if (values.warmUp() != null && values.prefetch() != null) {
            throw new IllegalArgumentException("prefetch-time has no effect with warm-up " + values.warmUp()
                    + ", where the next caller waits: leave one of them out");
        }
        return bucket.withExpire(values.value("expire", TokenBucket.DEFAULT_EXPIRE));
    }

    private void checkOneSize() {
        Duration burst = values.burst();
        if (values.warmUp() != null && (burst != null || values.capacity() != null)) {
            throw new IllegalArgumentException((burst != null ? "burst" : "capacity") + " has no effect with warm-up "
                    + values.warmUp() + ", leave one of them out");
        }
        if (burst != null && values.capacity() != null) {
            throw new IllegalArgumentException("capacity " + values.capacity() + " (permits) and burst "
                    + seconds(burst) + " (seconds) both say how many unused permits are kept: leave one of them out");
        }
    }

    private TokenBucket sized(TokenBucket usual) {
        if (values.warmUp() != null) {
            return usual.withWarmUp(values.warmUp()).withMaxWait(maxWait());
        }
        if (values.capacity() != null) {
            return usual.withCapacity(values.capacity().doubleValue()).withMaxWait(maxWait());
        }
        if (values.burst() == null) {
            return usual.withMaxWait(maxWait());
        }
        double rate = usual.permitsPerSecond();
        double burst = seconds(values.burst());
        return values.callTimeout().isZero()
                ? TokenBucket.of(rate, burst)
                // May hold less than a permit, if the timeout is long enough to wait for the rest.
                : TokenBucket.forWaiting(rate, burst, maxWait());
    }

    /** See {@link LimitParameters#appliedTo}. */
    AnyLimit changed(AnyLimit own) {
        long limit = values.value("limit", own.capacity());
        if (own instanceof TokenBucket bucket) {
            return changed(bucket);
        }
        if (own instanceof FixedWindow window) {
            return changed(window, limit);
        }
        if (own instanceof SlidingLog log) {
            return SlidingLog.of(limit, period(log.period()));
        }
        if (own instanceof SlidingCounter counter) {
            return SlidingCounter.of(limit, period(counter.period()));
        }
        return own instanceof ConcurrencyLimit held
                ? ConcurrencyLimit.of(limit).withLeaseTime(values.value("lease", held.leaseTime()))
                : own;
    }

    private FixedWindow changed(FixedWindow own, long limit) {
        CalendarPeriod calendar = own.calendar();
        if (calendar != null && values.per() != null && !values.per().equals(Per.of(own))) {
            throw new IllegalArgumentException("period has no effect on a limit for each " + calendar
                    + ", leave it out: of the calendar's periods only the limit can be changed");
        }
        return calendar == null ? FixedWindow.of(limit, period(own.period())) : FixedWindow.of(limit, calendar);
    }

    private Duration period(Duration own) {
        return values.per() == null ? own : values.per().length();
    }

    private TokenBucket changed(TokenBucket own) {
        double rate = values.value("rate", own.permitsPerSecond());
        Number capacity = values.capacity();
        if (own.kind() == LimitKind.LEAKY_QUEUE) {
            long waiting = capacity == null ? waiting(own) : whole(capacity);
            return own.withRate(rate)
                    .withMaxWait(LeakyBucket.queue(rate, waiting).maxWait());
        }
        if (own.kind() == LimitKind.LEAKY_BUCKET) {
            return capacity == null ? own.withRate(rate) : own.withRateAndCapacity(rate, whole(capacity));
        }
        if (own.warmUp() != null && (capacity != null || values.burst() != null)) {
            throw new IllegalArgumentException("capacity and burst have no effect with a warm-up of "
                    + own.warmUp().period() + ", leave them out: the period makes the capacity");
        }
        if (capacity != null) {
            // Written so that NaN fails. Less would grant nothing without a wait.
            if (!(capacity.doubleValue() >= 1)) {
                throw new IllegalArgumentException("capacity (permits) must be at least 1, was " + capacity);
            }
            return own.withRateAndCapacity(rate, capacity.doubleValue());
        }
        return values.burst() == null ? own.withRate(rate) : own.withRateAndBurst(rate, values.burst());
    }

    /** How many calls wait at most in a leaky queue. */
    private static long waiting(TokenBucket queue) {
        return Math.round(queue.maxWaitMicros() * queue.permitsPerSecond() / 1e6);
    }

    static LimitParameters describe(AnyLimit limit) {
        LimitParameters kind = LimitParameters.of(LimitKind.of(limit).orElse(null));
        if (limit instanceof TokenBucket bucket) {
            return describe(kind.with("rate", bucket.permitsPerSecond()), bucket);
        }
        if (limit instanceof FixedWindow window) {
            return kind.with("limit", window.limit())
                    .with("per", Per.of(window))
                    .with(
                            "zone",
                            window.calendar() == null ? null : window.calendar().zone())
                    .with("anchor", anchor(window.calendar()));
        }
        if (limit instanceof SlidingLog log) {
            return kind.with("limit", log.limit()).with("per", Per.of(log.period()));
        }
        if (limit instanceof SlidingCounter counter) {
            return kind.with("limit", counter.limit()).with("per", Per.of(counter.period()));
        }
        return limit instanceof ConcurrencyLimit held
                ? kind.with("limit", held.limit()).with("lease", held.leaseTime())
                : kind;
    }

    private static @Nullable Anchor anchor(@Nullable CalendarPeriod calendar) {
        LocalDate date = calendar == null ? null : calendar.anchor();
        return date == null ? null : Anchor.of(date);
    }

    private static LimitParameters describe(LimitParameters rate, TokenBucket bucket) {
        return switch (bucket.kind()) {
            case LEAKY_QUEUE -> rate.with("capacity", waiting(bucket));
            case LEAKY_BUCKET -> rate.with("capacity", bucket.capacity());
            default -> {
                if (bucket.warmUp() != null) {
                    yield rate.with("warm-up", bucket.warmUp().period());
                }
                yield bucket.minCapacity() > 0 && bucket.minCapacity() >= bucket.maxPermits()
                        ? rate.with("capacity", bucket.maxPermits())
                        : rate.with("burst", Duration.ofNanos(Math.round(bucket.burstSeconds() * 1e9)));
            }
        };
    }

    /**
     * Checks that a limit can grant permits at all.
     *
     * @param timeout how long a call waits for them
     * @throws IllegalArgumentException if a limit would never grant as many permits
     */
    private static void checkCanBeGranted(long permits, AnyLimit limit, Duration timeout) {
        Request request = Request.peek(permits, timeout.toNanos() / 1000);
        Verdict first = limit.asStep().step(null, 0, request).verdict();
        // What an unused limit rejects, it always rejects.
        if (first.isGranted()) {
            return;
        }
        String problem = "a cost of " + permits + " would never be granted: ";
        if (!(limit instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException(problem + limit + " has at most " + limit.capacity()
                    + "; the cost must be at most " + limit.capacity() + ", or the limit at least " + permits);
        }
        if (bucket.whoWaits() == WhoWaits.NEXT_CALLER) {
            throw new IllegalArgumentException(problem + "at " + bucket.permitsPerSecond()
                    + "/s they take longer than can be reserved ahead, " + bucket.maxWait()
                    + ": lower the cost, or set a higher rate or a longer timeout");
        }
        throw new IllegalArgumentException(problem + "capacity must be at least "
                + (permits == 1 ? "1 permit" : permits + " permits") + " (at " + bucket.permitsPerSecond()
                + "/s a burst of " + permits / bucket.permitsPerSecond() + " s), or timeout at least "
                + first.waitMicros() / 1e6 + " s to wait for the rest; they were " + bucket.maxPermits() + " and "
                + timeout);
    }

    private static double seconds(Duration duration) {
        return duration.toSeconds() + duration.getNano() / 1e9;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private <T> T required(String name, String example) {
        T value = values.value(name);
        if (value == null) {
            throw new IllegalArgumentException(
                    name + " must be set in " + places + ", such as " + name + " = " + example);
        }
        return value;
    }
}
