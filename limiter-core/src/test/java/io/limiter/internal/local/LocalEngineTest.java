package io.limiter.internal.local;

import static io.limiter.testing.Decisions.decide;
import static io.limiter.testing.Decisions.decideSet;
import static io.limiter.testing.Decisions.startSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.RateLimiter;
import io.limiter.Share;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.time.ServerTime;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.testing.Concurrently;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Seed;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Decisions of the local engine. */
@Tag("threads")
class LocalEngineTest {

    private static final TokenBucket ONE_A_SECOND = TokenBucket.of(1, 1);
    private static final Request ONE = Request.take(1, 0);

    private final TestClock clock = new TestClock();
    private final LocalEngine engine = new LocalEngine(100, new ServerTime(clock, clock.micros()));

    @Test
    void threads_that_overtake_each_other_are_not_rejected() {
        LocalEngine engine = new LocalEngine();
        TokenBucket many = TokenBucket.of(1, 1_000_000);
        AtomicInteger rejected = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 20_000; i++) {
                if (!decide(engine, "k", many, ONE).isGranted()) {
                    rejected.incrementAndGet();
                }
            }
        });
        assertThat(rejected).hasValue(0);
    }

    /** Background callers without a pause, and four others with 50 requests a second each, for 30 s. */
    @Test
    void who_leaves_a_fifth_of_the_permits_takes_all_the_others_and_rejects_nobody() {
        LimiterFactory limiters = new LocalLimiters(EngineLimiterFactory.DEFAULT_MAX_CACHED, engine, clock).view();
        Limiter high = limiters.build("k", TokenBucket.perSecond(1_000));
        Limiter low = limiters.with(LimiterOptions.NONE.withLeave(Share.parse("20%")))
                .build("k", TokenBucket.perSecond(1_000));
        int ofHigh = 0;
        int ofLow = 0;
        for (int milli = 0; milli < 30_000; milli++) {
            while (low.tryAcquire()) {
                ofLow++;
            }
            for (int caller = 0; caller < 4 && milli % 20 == 0; caller++) {
                ofHigh += high.tryAcquire() ? 1 : 0;
            }
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(ofHigh).isEqualTo(6_000);
        assertThat(ofHigh + ofLow).isBetween(30_700, 31_000);
    }

    @Test
    void two_kinds_of_limit_on_one_key_are_an_error() {
        decide(engine, "k", ONE_A_SECOND, ONE);
        assertThatThrownBy(() -> decide(engine, "k", FixedWindow.of(1, Duration.ofSeconds(1)), ONE))
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("'k'")
                .hasMessageContaining("another kind of limit's");
    }

    @Test
    void rejects_a_maximum_of_no_keys() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LocalEngine(0))
                .withMessage("maxKeys must be at least 1, was 0");
    }

    @Test
    void runs_on_the_jvms_own_clock() {
        RateLimiter limiter = new LocalLimiterFactory().build("k", 1000, 0.001, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.acquire()).isLessThanOrEqualTo(Duration.ofMillis(1));
    }

    @Test
    void two_factories_share_nothing() {
        assertThat(new LocalLimiterFactory().build("k", 1, 1, 60).tryAcquire()).isTrue();
        assertThat(LocalLimiterFactory.builder()
                        .maxKeys(10)
                        .build()
                        .build("k", 1, 1, 60)
                        .tryAcquire())
                .isTrue();
    }

    @Test
    void overlapping_sets_and_single_requests_take_every_permit_once_despite_evictions() {
        TokenBucket bucket = TokenBucket.of(0.001, 9_000_000);
        FixedWindow window = FixedWindow.of(6_000, Duration.ofDays(1));
        KeyRequests<?> a = KeyRequests.of("a", window, ONE);
        KeyRequests<?> b = KeyRequests.of("b", bucket, ONE);
        KeyRequests<?> c = KeyRequests.of("c", window, ONE);
        AtomicInteger thread = new AtomicInteger();
        AtomicInteger ab = new AtomicInteger();
        AtomicInteger cb = new AtomicInteger();
        AtomicInteger alone = new AtomicInteger();
        Concurrently.run(8, () -> {
            int number = thread.getAndIncrement();
            int kind = number % 4;
            for (int i = 0; i < 4_000; i++) {
                if (kind == 0) {
                    // In either order: each must not wait for a key that the other holds.
                    ab.addAndGet(granted(engine, i % 2 == 0 ? List.of(a, b) : List.of(b, a)));
                } else if (kind == 1) {
                    cb.addAndGet(granted(engine, List.of(b, c)));
                } else if (kind == 2) {
                    // Full again much sooner, so these are evicted.
                    String key = "new" + number + i;
                    granted(engine, List.of(KeyRequests.of(key, ONE_A_SECOND, ONE)));
                    decide(engine, key + "a", ONE_A_SECOND, ONE);
                } else {
                    Outcome decision = i % 2 == 0 ? decide(engine, "b", bucket, ONE) : engine.decide("b", bucket, ONE);
                    alone.addAndGet(decision.isGranted() ? 1 : 0);
                }
            }
        });
        assertThat(ab.get() + cb.get() + alone.get()).isEqualTo(9_000);
        Request peek = Request.peek(1, 0);
        assertThat(decide(engine, "a", window, peek).remaining()).isEqualTo(6_000 - ab.get());
        assertThat(decide(engine, "c", window, peek).remaining()).isEqualTo(6_000 - cb.get());
    }

    private static int granted(LocalEngine engine, List<KeyRequests<?>> parts) {
        return decideSet(engine, parts).stream().allMatch(decision -> decision != null && decision.isGranted()) ? 1 : 0;
    }

    @Test
    void a_failing_set_takes_nothing_and_unlocks_its_keys() {
        FixedWindow window = FixedWindow.of(1, Duration.ofDays(1));
        decide(engine, "b", ONE_A_SECOND, ONE);
        List<KeyRequests<?>> parts = List.of(KeyRequests.of("a", window, ONE), KeyRequests.of("b", window, ONE));
        assertThatThrownBy(() -> decideSet(engine, parts)).isInstanceOf(LimiterBackendException.class);
        assertThat(startSet(engine, parts)).isCompletedExceptionally();
        assertThat(engine.size()).isEqualTo(1);
        assertThat(decide(engine, "a", window, ONE).isGranted()).isTrue();
        assertThat(decide(engine, "b", ONE_A_SECOND, ONE).isGranted()).isFalse();
    }

    @Test
    void tryAcquire_decides_as_a_step_does() {
        Random random = Seed.random();
        LocalEngine tried = new LocalEngine(1_000, new ServerTime(clock, clock.micros()));
        LocalEngine decided = new LocalEngine(1_000, new ServerTime(clock, clock.micros()));
        List<LimitStep<?>> limits = List.of(
                TokenBucket.perSecond(3).withCapacity(5),
                TokenBucket.perSecond(3).withCapacity(5).withExpire(Duration.ofMillis(1)),
                TokenBucket.perSecond(3).withCapacity(7),
                TokenBucket.guava(2));
        for (int i = 0; i < 20_000; i++) {
            clock.advance(Duration.ofMillis(random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(100)));
            String key = "k" + random.nextInt(5);
            LimitStep<?> limit = limits.get(random.nextInt(10) == 0 ? random.nextInt(4) : 0);
            Request request = Request.take(1 + random.nextInt(2), random.nextInt(5) == 0 ? 500_000 : 0);
            String context = Seed.hint() + i;
            boolean expected = decided.decide(key, limit, request).isGranted();
            ImmediateEngine.Known known = tried.tryAcquire(key, limit, request.permits(), request.timeoutMicros());
            boolean granted = known == ImmediateEngine.Known.UNKNOWN
                    ? tried.decide(key, limit, request).isGranted()
                    : known == ImmediateEngine.Known.GRANTED;
            assertThat(granted).as(context).isEqualTo(expected);
            if (random.nextInt(10) == 0) {
                Request peek = request.asPeek();
                assertThat(tried.decide(key, limit, peek)).as(context).isEqualTo(decided.decide(key, limit, peek));
                assertThat(tried.size()).as(context).isEqualTo(decided.size());
            }
        }
    }

    @Test
    void expiry_sees_what_tryAcquire_has_taken() {
        TokenBucket hour = TokenBucket.perSecond(1).withCapacity(3600).withExpire(Duration.ofMillis(1));
        decide(engine, "k", hour, ONE);
        assertThat(engine.tryAcquire("k", hour, 3599, 0)).isEqualTo(ImmediateEngine.Known.GRANTED);
        clock.advance(Duration.ofSeconds(10));
        assertThat(engine.tryAcquire("k", hour, 11, 0)).isEqualTo(ImmediateEngine.Known.REJECTED);
        assertThat(decide(engine, "k", hour, Request.take(11, 0)).isGranted()).isFalse();
        assertThat(decide(engine, "k", hour, Request.take(10, 0)).isGranted()).isTrue();
    }

    @Test
    void a_key_is_kept_as_long_as_any_of_its_limits_needs() {
        TokenBucket minute = TokenBucket.perSecond(1).withCapacity(5).withStartsFull(false);
        TokenBucket moment = minute.withExpire(Duration.ofMillis(1));
        decide(engine, "k", moment, ONE);
        clock.advance(Duration.ofSeconds(2));
        assertThat(decide(engine, "k", moment, ONE).isGranted()).isTrue();
        assertThat(engine.tryAcquire("k", minute, 1, 0)).isEqualTo(ImmediateEngine.Known.GRANTED);
        assertThat(engine.tryAcquire("k", moment, 1, 0)).isEqualTo(ImmediateEngine.Known.REJECTED);
        clock.advance(Duration.ofSeconds(30));
        // Once expired, it would start empty.
        assertThat(decide(engine, "k", moment, Request.take(5, 0)).isGranted()).isTrue();
    }

    @Test
    void tryAcquire_decides_immediately_for_a_known_key() {
        TokenBucket two = TokenBucket.perSecond(1).withCapacity(2);
        assertThat(engine.tryAcquire("k", two, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        decide(engine, "k", two, ONE);
        assertThat(engine.tryAcquire("k", two, 1, 0)).isEqualTo(ImmediateEngine.Known.GRANTED);
        assertThat(engine.tryAcquire("k", two, 1, 0)).isEqualTo(ImmediateEngine.Known.REJECTED);
        assertThat(engine.tryAcquire("k", two, 1, 1)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        engine.close();
        assertThat(engine.tryAcquire("k", two, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
    }

    @Test
    void a_fallback_drops_expired_keys_each_minute_until_it_has_none() {
        TestClock clock = new TestClock();
        HandSleeper timers = new HandSleeper(clock) {
            @Override
            public boolean runsByItself() {
                return true;
            }
        };
        LocalEngine fallback = new LocalEngine(1_000, new ServerTime(clock, 0));
        fallback.dropExpiredBy(timers);
        FixedWindow minute = FixedWindow.of(1, Duration.ofSeconds(30));
        FixedWindow hour = FixedWindow.of(1, Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            decide(fallback, "minute" + i, minute, Request.take(1, 0));
        }
        decide(fallback, "hour", hour, Request.take(1, 0));
        assertThat(fallback.size()).isEqualTo(101);
        assertThat(timers.pending()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            timers.run();
        }
        assertThat(fallback.size()).isEqualTo(1);
        assertThat(decide(fallback, "hour", hour, Request.take(1, 0)).isGranted())
                .as("it stays used")
                .isFalse();
        for (int i = 0; i < 120; i++) {
            timers.run();
        }
        assertThat(fallback.size()).isZero();
        assertThat(timers.pending()).isZero();
        decide(fallback, "minute", minute, Request.take(1, 0));
        assertThat(timers.pending()).isEqualTo(1);
        fallback.close();
        assertThat(timers.pending()).isZero();
    }

    /** A reply that comes quickly corrects the time that a slow one has left behind, and instances may decide alone in between. */
    @Test
    void a_correction_of_the_time_of_redis_gives_back_no_permits_and_moves_the_calendar() {
        ServerTime ofRedis = new ServerTime(clock, clock.micros());
        LocalEngine fallback = new LocalEngine(100, new ServerTime(clock, clock.micros()), ofRedis);
        List<LimitStep<?>> byDuration = List.of(ONE_A_SECOND, FixedWindow.of(1, Duration.ofSeconds(1)));
        for (LimitStep<?> limit : byDuration) {
            assertThat(decide(fallback, limit.toString(), limit, ONE).isGranted())
                    .isTrue();
        }
        FixedWindow day = FixedWindow.of(1, CalendarPeriod.DAY);
        assertThat(decide(fallback, "day", day, ONE).isGranted()).isTrue();
        assertThat(decide(fallback, "day", day, ONE).isGranted()).isFalse();
        ofRedis.replied(clock.micros() + Duration.ofDays(1).toMillis() * 1000);
        for (LimitStep<?> limit : byDuration) {
            assertThat(decide(fallback, limit.toString(), limit, ONE).isGranted())
                    .as(limit.toString())
                    .isFalse();
            assertThat(fallback.tryAcquire(limit.toString(), limit, 1, 0)).isNotEqualTo(ImmediateEngine.Known.GRANTED);
        }
        assertThat(decide(fallback, "day", day, ONE).isGranted()).isTrue();
    }

    @Test
    void tryAcquire_counts_as_a_decision_of_the_backend() {
        LocalLimiterFactory limiters = LocalLimiterFactory.builder().build();
        RateLimiter limiter =
                limiters.build("k", TokenBucket.per(2, Duration.ofDays(1)).withCapacity(2));
        assertThat(List.of(limiter.tryAcquire("ann"), limiter.tryAcquire("ann"), limiter.tryAcquire("ann")))
                .containsExactly(true, true, false);
        LimiterTotals totals = limiters.statistics().totals().get(0);
        assertThat(totals.granted(Decision.Source.BACKEND)).isEqualTo(2);
        assertThat(totals.rejected(Decision.Source.BACKEND)).isEqualTo(1);
    }
}
