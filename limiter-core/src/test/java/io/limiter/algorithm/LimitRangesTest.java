package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every limit can be built, and decides, at both ends of each range that its Javadoc names, and cannot beyond them. */
class LimitRangesTest {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;
    private static final double MIN_RATE = 1.0 / 86_400_000;
    private static final double MAX_RATE = 1_000_000_000;
    private static final double LARGEST = 1_000_000_000_000.0;
    private static final Duration LONGEST = Duration.ofDays(1000);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket FAST = TokenBucket.perSecond(1000);

    /** A parameter with the ends of its range, and how far beyond them the next value is; 0 for the next double. */
    private record Range(String name, double from, double to, double step, DoubleFunction<Limit<?>> limit) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Range range(String name, double from, double to, DoubleFunction<Limit<?>> limit) {
        return new Range(name, from, to, 0, limit);
    }

    private static Range whole(String name, int from, int to, Function<Integer, Limit<?>> limit) {
        // An int has nothing beyond its largest value.
        return new Range(name, from, to, 1, value -> limit.apply(Math.toIntExact((long) value)));
    }

    /** In nanoseconds. */
    private static Range times(String name, Duration from, Function<Duration, Limit<?>> limit) {
        return new Range(
                name, from.toNanos(), LONGEST.toNanos(), 1000, value -> limit.apply(Duration.ofNanos((long) value)));
    }

    static Range[] ranges() {
        return new Range[] {
            range("perSecond", MIN_RATE, MAX_RATE, TokenBucket::perSecond),
            range("guava", MIN_RATE, MAX_RATE, TokenBucket::guava),
            range("setRate", MIN_RATE, MAX_RATE, FAST::withRate),
            range("meter", MIN_RATE, MAX_RATE, rate -> LeakyBucket.meter(rate, 1)),
            range("queue", MIN_RATE, MAX_RATE, rate -> LeakyBucket.queue(rate, 0)),
            range(
                    "build, burst of a permit",
                    MIN_RATE,
                    MAX_RATE,
                    rate -> TokenBucket.of(rate, Math.min(Math.max(1, 1 / rate), 86_400_000))),
            range("burst seconds with a capacity", 0, 86_400_000, burst -> bucket(1000, burst, 1)),
            range("capacity with a burst", 0, LARGEST, capacity -> bucket(1e6, 1, capacity)),
            new Range("capacity of a meter", 1, LARGEST, 1, capacity -> LeakyBucket.meter(1e6, (long) capacity)),
            whole("maxWaiting", 0, 1_000_000_000, waiting -> LeakyBucket.queue(1000, waiting)),
            times("per", Duration.ofNanos(1), period -> TokenBucket.per(1, period)),
            times("warm-up", Duration.ofNanos(1000), FAST::withWarmUp),
            times("maxWait", Duration.ZERO, FAST::withMaxWait),
            times("expire", Duration.ofMillis(1), FAST::withExpire),
            range("cold factor", Math.nextUp(1.0), 1000, factor -> FAST.withWarmUp(new WarmUp(SECOND, factor))),
            whole("limit of a window", 1, Integer.MAX_VALUE, limit -> FixedWindow.of(limit, SECOND)),
            times("period of a window", Duration.ofMillis(1), period -> FixedWindow.of(1, period)),
            whole("limit of a log", 1, 100_000, limit -> SlidingLog.of(limit, SECOND)),
            times("period of a log", Duration.ofMillis(1), period -> SlidingLog.of(1, period)),
            whole("limit of a counter", 1, Integer.MAX_VALUE, limit -> SlidingCounter.of(limit, SECOND)),
            times("period of a counter", Duration.ofMillis(1), period -> SlidingCounter.of(1, period)),
            whole("limit of leases", 1, 1000, ConcurrencyLimit::of),
            times("lease time", Duration.ofMillis(100), ConcurrencyLimit.of(1)::withLeaseTime)
        };
    }

    private static TokenBucket bucket(double rate, double burst, double capacity) {
        return new TokenBucket(
                rate, burst, capacity, null, WhoWaits.CALLER, true, TokenBucket.DEFAULT_MAX_WAIT, SECOND);
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void a_limit_is_built_at_both_ends_of_a_range_and_not_beyond(Range range) {
        for (double end : new double[] {range.from, range.to}) {
            Limit<?> limit = range.limit.apply(end);
            assertThat(decide(limit).granted()).as("%s at %s", limit, end).isTrue();
            Limit<?> share = limit.scaled(0.001);
            assertThat(decide(share).granted())
                    .as("%s, a share at %s", share, end)
                    .isTrue();
        }
        double below = range.step == 0 ? Math.nextDown(range.from) : range.from - range.step;
        double above = range.step == 0 ? Math.nextUp(range.to) : range.to + range.step;
        for (double beyond : new double[] {below, above}) {
            if (Math.abs(beyond) != 1.0 + Integer.MAX_VALUE) {
                assertThatIllegalArgumentException()
                        .as("at %s", beyond)
                        .isThrownBy(() -> range.limit.apply(beyond))
                        .withMessageContaining("must be");
            }
        }
    }

    private static <S> Decision decide(Limit<S> limit) {
        Request request = limit instanceof ConcurrencyLimit ? Request.hold(1, 1) : Request.take(1, 0);
        Step<S> step = limit.step(null, NOW_MICROS, request);
        assertThat(limit.lifetimeMillis(step.state(), NOW_MICROS)).isPositive();
        return step.decision();
    }
}
