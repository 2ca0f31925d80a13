package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every limit can be built, and decides, at both ends of each range that its Javadoc names. Beyond them, an error names the
 * range.
 */
class LimitRangesTest {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;
    private static final double MIN_RATE = 1.0 / 86_400_000;
    private static final double MAX_RATE = 1_000_000_000;
    private static final long LARGEST = 1_000_000_000_000L;
    private static final Duration LONGEST = Duration.ofDays(1000);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket FAST = TokenBucket.perSecond(1000);

    /** A parameter of a limit, the ends of its range, values beyond them, and the error for those. */
    private record Range<T>(
            String name,
            String parameter,
            String error,
            List<T> ends,
            List<T> beyond,
            Function<T, LimitStep<?>> limit) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Range<Double> numbers(
            String name, String parameter, double from, double to, Function<Double, LimitStep<?>> limit) {
        return new Range<>(
                name,
                parameter,
                " must be between " + from + " and " + to,
                List.of(from, to),
                beyond(Math.nextDown(from), Math.nextUp(to)),
                limit);
    }

    private static List<Double> beyond(double below, double above) {
        return List.of(below, above, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    }

    private static Range<Double> rates(String name, Function<Double, LimitStep<?>> limit) {
        return numbers(name, "rate (permits per second)", MIN_RATE, MAX_RATE, limit);
    }

    private static Range<Long> whole(
            String name, String parameter, long from, long to, Function<Long, LimitStep<?>> limit) {
        return new Range<>(
                name,
                parameter,
                " must be between " + from + " and " + to,
                List.of(from, to),
                List.of(from - 1, to + 1, Long.MIN_VALUE, Long.MAX_VALUE),
                limit);
    }

    private static Range<Long> counted(String name, Function<Long, LimitStep<?>> limit) {
        return new Range<>(
                name,
                "limit",
                " must be between 1 and 9007199254740991 (2^53 - 1, the most that can be counted exactly)",
                List.of(1L, 5_000_000_000L, (1L << 53) - 1),
                List.of(0L, 1L << 53, Long.MIN_VALUE, Long.MAX_VALUE),
                limit);
    }

    private static Range<Duration> times(
            String name, String parameter, Duration from, Function<Duration, LimitStep<?>> limit) {
        return new Range<>(
                name,
                parameter,
                " must be between " + from + " and PT24000H (ISO-8601)",
                List.of(from, LONGEST),
                List.of(from.minusNanos(1), Duration.ofHours(-1), LONGEST.plusNanos(1)),
                limit);
    }

    static List<Range<?>> ranges() {
        return List.of(
                rates("perSecond", TokenBucket::perSecond),
                rates("guava", TokenBucket::guava),
                rates("withRate", FAST::withRate),
                rates("meter", rate -> LeakyBucket.meter(rate, 1)),
                rates("queue", rate -> LeakyBucket.queue(rate, 0)),
                rates(
                        "rate with a burst of a permit",
                        rate -> TokenBucket.of(rate, Math.min(Math.max(1, 1 / rate), 86_400_000))),
                numbers(
                        "burst",
                        "burst (seconds)",
                        1e-9,
                        86_400_000,
                        burst -> TokenBucket.of(burst < 1 ? MAX_RATE : 10_000, burst)),
                numbers("burst with a capacity", "burst (seconds)", 0, 86_400_000, burst -> bucket(1000, burst, 1)),
                numbers("capacity", "capacity (permits)", 0, LARGEST, capacity -> bucket(1e6, 1, capacity)),
                new Range<>(
                        "capacity of a meter",
                        "capacity",
                        " must be between 1 and 1000000000000",
                        List.of(1L, 1_000_000_000_000L),
                        List.of(0L, 1_000_000_000_001L),
                        capacity -> LeakyBucket.meter(1e6, capacity)),
                whole("maxWaiting", "maxWaiting", 0, LARGEST, waiting -> LeakyBucket.queue(1e6, waiting)),
                times("per", "period", Duration.ofNanos(1), period -> TokenBucket.per(1, period)),
                times("warm-up", "warm-up period", Duration.ofNanos(1000), FAST::withWarmUp),
                times("maxWait", "maxWait", Duration.ZERO, FAST::withMaxWait),
                times("expire", "expire", Duration.ofMillis(1), FAST::withExpire),
                new Range<>(
                        "cold factor",
                        "cold factor",
                        " must be more than 1.0 and at most 1000.0",
                        List.of(Math.nextUp(1.0), 1000.0),
                        beyond(1, Math.nextUp(1000.0)),
                        factor -> FAST.withWarmUp(WarmUp.of(SECOND).withColdFactor(factor))),
                counted("limit of a window", limit -> FixedWindow.of(limit, SECOND)),
                times("period of a window", "period", Duration.ofMillis(1), period -> FixedWindow.of(1, period)),
                whole("limit of a log", "limit of a sliding log", 1, 100_000, limit -> SlidingLog.of(limit, SECOND)),
                times("period of a log", "period", Duration.ofMillis(1), period -> SlidingLog.of(1, period)),
                counted("limit of a counter", limit -> SlidingCounter.of(limit, SECOND)),
                times("period of a counter", "period", Duration.ofMillis(1), period -> SlidingCounter.of(1, period)),
                whole("limit of leases", "limit", 1, 1000, ConcurrencyLimit::of),
                new Range<>(
                        "after", "after", " must be between 1 and 100", List.of(1, 100), List.of(0, 101), Ban::after),
                times("within", "within", Duration.ofMillis(1), within -> Ban.after(1, within)),
                times(
                        "lasting",
                        "lasting",
                        Duration.ofMillis(1),
                        lasting -> Ban.after(1).withLengths(lasting, LONGEST)),
                times(
                        "atMost",
                        "atMost",
                        Duration.ofMillis(1),
                        atMost -> Ban.after(1).withLengths(Duration.ofMillis(1), atMost)),
                times("lease time", "leaseTime", Duration.ofMillis(100), ConcurrencyLimit.of(1)::withLeaseTime));
    }

    private static TokenBucket bucket(double rate, double burst, double capacity) {
        return new TokenBucket(
                rate, burst, capacity, null, WhoWaits.CALLER, true, TokenBucket.DEFAULT_MAX_WAIT, SECOND);
    }

    @ParameterizedTest
    @MethodSource("ranges")
    <T> void a_limit_and_its_share_decide_at_both_ends_of_a_range(Range<T> range) {
        for (T end : range.ends) {
            LimitStep<?> limit = range.limit.apply(end);
            assertThat(decide(limit).isGranted()).as("%s at %s", limit, end).isTrue();
            LimitStep<?> share = limit.scaled(0.001);
            assertThat(decide(share).isGranted())
                    .as("%s, a share at %s", share, end)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("ranges")
    <T> void a_value_beyond_a_range_is_an_error_that_names_the_range(Range<T> range) {
        for (T beyond : range.beyond) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> range.limit.apply(beyond))
                    .withMessageStartingWith(range.parameter + range.error + ", was " + beyond);
        }
        if (range.ends.get(0) instanceof Duration) {
            assertThatNullPointerException()
                    .isThrownBy(() -> range.limit.apply(null))
                    .withMessage(range.parameter);
        }
    }

    private static <S> Verdict decide(LimitStep<S> limit) {
        Request request = limit instanceof ConcurrencyLimit ? Request.hold(1, 1) : Request.take(1, 0);
        Step<S> step = limit.step(null, NOW_MICROS, request);
        S state = limit instanceof Ban
                ? limit.step(null, NOW_MICROS, Request.charge(1)).state()
                : step.state();
        assertThat(limit.lifetimeMillis(state, NOW_MICROS)).isPositive();
        return step.verdict();
    }
}
