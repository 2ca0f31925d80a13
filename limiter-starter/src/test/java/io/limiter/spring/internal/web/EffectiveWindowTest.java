package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The parameter {@code t} of every kind of limit. Section 4.1.2 of draft-ietf-httpapi-ratelimit-headers-11: "effective window
 * under the identified policy: the number of seconds within which the client can use no more than the available quota".
 */
class EffectiveWindowTest {

    /** The end of an hour is 1,400 s later, and that of a minute 20 s. */
    private static final long START_MICROS =
            Instant.parse("2026-05-01T10:36:40Z").toEpochMilli() * 1000;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** A key of a limit, with a clock. */
    private static final class Key<S> {

        private final AnyLimit limit;
        private final LimitStep<S> step;
        private @Nullable S state;
        private double seconds;
        private long id;

        Key(AnyLimit limit, LimitStep<S> step) {
            this.limit = limit;
            this.step = step;
        }

        Decision take(int permits, Duration timeout) {
            long holder = limit instanceof ConcurrencyLimit ? ++id : 0;
            Step<S> taken = step.step(
                    state,
                    START_MICROS + Math.round(seconds * MICROS_PER_SECOND),
                    Request.of(Request.Action.TAKE, permits, timeout.toNanos() / 1000, holder));
            state = taken.state();
            return Decision.of(taken.verdict(), Decision.Source.BACKEND);
        }

        Quota quota(Decision decision) {
            return Quota.of("x", limit, decision);
        }
    }

    private static Arguments of(String name, AnyLimit limit, String calls, String member) {
        return Arguments.of(name, limit, calls, "\"x\";" + member);
    }

    /** The permits that callers take, each at a second and with a timeout, and the last {@code RateLimit} member. */
    static Stream<Arguments> limits() {
        TokenBucket tenPerSecond = TokenBucket.perSecond(10).withCapacity(100);
        TokenBucket onePerMinute = TokenBucket.per(1, Duration.ofMinutes(1)).withCapacity(2);
        FixedWindow minute = FixedWindow.of(100, Duration.ofMinutes(1));
        return Stream.of(
                of("bucket", tenPerSecond, "0:1", "r=99;t=10"),
                of("bucket, nearly empty: full in 9 s, 100 permits until then", tenPerSecond, "0:90", "r=10;t=1"),
                of("bucket, empty", tenPerSecond, "0:100", "r=0;t=1"),
                of("bucket, rejected", tenPerSecond, "0:100 0:50", "r=0;t=5"),
                of("bucket, rejected with permits left", tenPerSecond, "0:70 0:60", "r=30;t=3"),
                of("bucket, rejected for ever", tenPerSecond, "0:101", "r=100"),
                of("slow bucket", onePerMinute, "0:1", "r=1;t=60"),
                of("slow bucket, empty", onePerMinute, "0:2", "r=0;t=60"),
                of("slow bucket, the next permit nearly there", onePerMinute, "0:2 114:1", "r=0;t=6"),
                of("bucket with reservations", TokenBucket.perSecond(1), "0:1 0:3+5", "r=0;t=4"),
                of("bucket of Guava", TokenBucket.guava(0.1), "0:1", "r=0;t=11"),
                of("next caller waits", onePerMinute.withWhoWaits(WhoWaits.NEXT_CALLER), "0:2", "r=0;t=60"),
                of(
                        "warm-up, cold",
                        TokenBucket.perSecond(0.1).withWarmUp(WarmUp.of(Duration.ofSeconds(100))),
                        "0:1",
                        "r=0;t=10"),
                of(
                        "warm-up, rejected",
                        TokenBucket.perSecond(0.1).withWarmUp(Duration.ofSeconds(100)),
                        "0:1 0:1",
                        "r=0;t=28"),
                of("leaky bucket as a meter", LeakyBucket.meter(0.5, 5), "0:1", "r=4;t=8"),
                of("leaky bucket as a queue", LeakyBucket.queue(2, 10), "0:1 0:3+5", "r=0;t=2"),
                of("fixed window, as in the draft's B.2.1", minute, "0:1 10:1", "r=98;t=50"),
                of("fixed window, rejected", minute, "0:100 10:1", "r=0;t=50"),
                of("fixed window, rejected with permits left", minute, "0:70 10:40", "r=30;t=50"),
                of("window of the calendar", FixedWindow.of(9, CalendarPeriod.HOUR), "0:4", "r=5;t=1400"),
                of(
                        "window of the calendar, rejected",
                        FixedWindow.of(100, CalendarPeriod.MINUTE),
                        "0:100 5:1",
                        "r=0;t=15"),
                of(
                        "sliding log, as in the draft's last example",
                        SlidingLog.of(12, Duration.ofSeconds(1)),
                        "0:6",
                        "r=6;t=1"),
                of("sliding log", SlidingLog.of(100, Duration.ofMinutes(1)), "0:1 30:79", "r=20;t=12"),
                of("sliding log, empty", SlidingLog.of(10, Duration.ofMinutes(1)), "0:9 30:1", "r=0;t=6"),
                of("sliding log, rejected", SlidingLog.of(10, Duration.ofMinutes(1)), "0:9 30:1 40:1", "r=0;t=20"),
                of("sliding counter", SlidingCounter.of(100, Duration.ofMinutes(1)), "0:80", "r=20;t=12"),
                of("sliding counter, empty", SlidingCounter.of(10, Duration.ofMinutes(1)), "0:10", "r=0;t=6"),
                of("sliding counter, rejected", SlidingCounter.of(10, Duration.ofMinutes(1)), "0:10 2:1", "r=0;t=24"),
                of("concurrency has no window", ConcurrencyLimit.of(5), "0:2", "r=3"),
                of("concurrency, rejected", ConcurrencyLimit.of(5), "0:5 10:1", "r=0;t=20"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("limits")
    void an_answer_has_the_effective_window(String name, AnyLimit limit, String calls, String member) {
        Key<?> key = new Key<>(limit, limit.asStep());
        Decision last = null;
        for (String call : calls.split(" ")) {
            String[] parts = call.split("[:+]");
            key.seconds = Double.parseDouble(parts[0]);
            last = key.take(
                    Integer.parseInt(parts[1]), Duration.ofSeconds(parts.length < 3 ? 0 : Long.parseLong(parts[2])));
        }
        assertThat(key.quota(Objects.requireNonNull(last)).limitMember())
                .as(name)
                .isEqualTo(member);
    }

    /** Limits that refill all the time, with permits a second. */
    static Stream<Arguments> refilling() {
        return Stream.of(
                Arguments.of(TokenBucket.perSecond(10).withCapacity(100), 10),
                Arguments.of(TokenBucket.per(6, Duration.ofMinutes(1)).withCapacity(3), 0.1),
                Arguments.of(LeakyBucket.meter(2, 7), 2),
                Arguments.of(SlidingLog.of(300, Duration.ofMinutes(1)), 5),
                Arguments.of(SlidingCounter.of(300, Duration.ofMinutes(1)), 5));
    }

    /**
     * Section 7: "A client SHOULD NOT exceed the available quota within the time expressed in the effective window parameter",
     * and section 6: a server "SHOULD implement mechanisms to cap the ratio between the available quota and the effective
     * window values". So a caller that spreads what is available evenly gets the rate of the policy, whatever is stored, and
     * no response promises it more.
     */
    @ParameterizedTest
    @MethodSource("refilling")
    void a_caller_that_obeys_has_the_rate_of_the_policy(AnyLimit limit, double permitsPerSecond) {
        Key<?> key = new Key<>(limit, limit.asStep());
        // What is left of a burst is a tenth.
        key.take((int) (limit.capacity() * 0.9), Duration.ZERO);
        double settled = 120;
        double end = settled + 1200;
        long granted = 0;
        while (key.seconds < end) {
            Decision decision = key.take(1, Duration.ZERO);
            Quota quota = key.quota(decision);
            double window = Objects.requireNonNull(quota.effectiveWindow());
            double available = Math.max(1, Objects.requireNonNull(quota.remaining()));
            if (decision.isGranted()) {
                granted += key.seconds >= settled ? 1 : 0;
                assertThat(available / window)
                        .as("at %s s", key.seconds)
                        .isLessThanOrEqualTo(permitsPerSecond * 1.000001);
            }
            key.seconds += window / available;
        }
        assertThat(granted / (end - settled)).isBetween(permitsPerSecond * 0.9, permitsPerSecond * 1.01);
    }

    @Test
    void the_window_of_the_policy_is_the_length_of_the_current_period() {
        assertThat(policy(CalendarPeriod.MONTH)).as("May").isEqualTo("\"x\";q=100;w=2678400");
        assertThat(policy(CalendarPeriod.MONTH.from(LocalDate.of(2026, 1, 15))))
                .as("from 15 April")
                .isEqualTo("\"x\";q=100;w=2592000");
        assertThat(policy(CalendarPeriod.YEAR)).isEqualTo("\"x\";q=100;w=31536000");
    }

    private static String policy(CalendarPeriod period) {
        FixedWindow limit = FixedWindow.of(100, period);
        Key<FixedWindow.State> key = new Key<>(limit, limit);
        return key.quota(key.take(1, Duration.ZERO)).policyMember();
    }

    @Test
    void a_decision_without_redis_asks_nobody_to_wait_for_more_than_a_minute() {
        FixedWindow limit = FixedWindow.of(1, CalendarPeriod.MONTH);
        Key<FixedWindow.State> key = new Key<>(limit, limit);
        Decision last = key.take(1, Duration.ZERO);
        assertThat(key.quota(last.withSource(Decision.Source.LOCAL)).limitMember())
                .isEqualTo("\"x\";r=0;t=60");
    }
}
