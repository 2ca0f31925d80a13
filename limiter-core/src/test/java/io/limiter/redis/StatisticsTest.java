package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.Lease;
import io.limiter.LimitExceededEvent;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statistics, observers and listeners of a factory over Redis. */
class StatisticsTest {

    private static final Duration DAY = Duration.ofDays(1);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Recorder recorder = new Recorder();

    private RedisRateLimiterFactory factory() {
        return redis.builder().listener(recorder).build();
    }

    private static LimiterTotals only(RedisRateLimiterFactory factory) {
        assertThat(factory.statistics().totals()).hasSize(1);
        return factory.statistics().totals().get(0);
    }

    @Test
    void decisions_are_counted_by_outcome_and_source_also_without_a_decision_object() {
        RedisRateLimiterFactory factory = factory();
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", FixedWindow.of(1, DAY));
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        assertThat(limiter.tryAcquire("a")).isFalse();
        assertThat(limiter.decide("a").source()).isEqualTo(Source.REJECTION_CACHE);
        limiter.on("a").peek();
        limiter.on("b").refund(1);
        limiter.on("b").charge(1);
        LimiterTotals totals = only(factory);
        assertThat(totals.name()).isEqualTo("k");
        assertThat(totals.prefix()).isEqualTo(redis.prefix());
        assertThat(totals.limit()).contains(limiter.limit());
        assertThat(totals.granted(Source.BACKEND)).isEqualTo(1);
        assertThat(totals.rejected(Source.BACKEND)).isEqualTo(1);
        assertThat(totals.rejected(Source.REJECTION_CACHE)).isEqualTo(2);
        assertThat(totals.granted() + totals.rejected() + totals.errors()).isEqualTo(4);
        assertThat(totals.hottestKeys()).containsExactly(LimiterTotals.HotKey.of(List.of("a"), 4));
        assertThat(totals.rejectedKeys()).singleElement().satisfies(rejected -> {
            assertThat(rejected.keys()).containsExactly("a");
            assertThat(rejected.rejections()).isEqualTo(3);
            assertThat(rejected.ago()).hasSize(3).isSorted();
        });
        assertThat(factory.statistics().cachedRejections()).isEqualTo(1);
        redis.clock().advance(Duration.ofSeconds(2));
        assertThat(factory.statistics().cachedRejections()).isZero();
    }

    @Test
    void tryAcquire_has_the_same_rejections_from_the_cache_as_decide() {
        for (RedisRateLimiterFactory factory : List.of(
                factory(),
                redis.builder().lock(new RedisLock(RedisFixture.connections())).build())) {
            for (Limit limit : List.of(TokenBucket.perSecond(1).withCapacity(10), SlidingLog.of(10, DAY))) {
                Limiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                        .build("larger", limit);
                limiter.reset();
                limiter.charge(9);
                assertThat(limiter.tryAcquire(2)).isFalse();
                assertThat(limiter.tryAcquire(3)).isFalse();
                boolean covered = limit.asStep().coversLargerRequests();
                assertThat(limiter.decide(4).source()).isEqualTo(covered ? Source.REJECTION_CACHE : Source.BACKEND);
                // Both limits share a name and its totals.
                LimiterTotals totals = only(factory);
                assertThat(totals.rejected(Source.BACKEND)).isEqualTo(covered ? 1 : 1 + 3);
                assertThat(totals.rejected(Source.REJECTION_CACHE)).isEqualTo(2);
            }
        }
    }

    @Test
    void prefetched_permits_count_when_they_are_granted() {
        RedisRateLimiterFactory factory = factory();
        RateLimiter limiter = factory.with(LimiterOptions.NONE
                        .withPrefix(redis.prefix())
                        .withPrefetch(Prefetch.of(Duration.ofMillis(100))))
                .build("k", TokenBucket.of(1e6, 1));
        for (int i = 0; i < 500; i++) {
            assertThat(limiter.tryAcquire("a")).isTrue();
            assertThat(limiter.decide("a").isGranted()).isTrue();
        }
        LimiterTotals totals = only(factory);
        assertThat(totals.granted()).isEqualTo(1000);
        assertThat(totals.granted(Source.PREFETCH)).isPositive();
        assertThat(totals.granted(Source.BACKEND)).isEqualTo(1000 - totals.granted(Source.PREFETCH));
        factory.close();
    }

    @Test
    void asynchronous_decisions_are_counted_too() {
        RedisRateLimiterFactory factory = factory();
        RateLimiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 1, 60);
        assertThat(limiter.on("a").async().decide(1).join().isGranted()).isTrue();
        assertThat(limiter.on("a").async().decide(1).join().isGranted()).isFalse();
        assertThat(limiter.on("a")
                        .async()
                        .reserve(1, Duration.ofHours(1))
                        .join()
                        .decision()
                        .isGranted())
                .isTrue();
        assertThat(limiter.on("a").reserve(1, Duration.ofHours(1)).decision().isGranted())
                .isTrue();
        LimiterTotals totals = only(factory);
        Eventually.that(() -> assertThat(totals.granted()).isEqualTo(3));
        Eventually.that(() -> assertThat(totals.rejected()).isEqualTo(1));
    }

    @Test
    void of_a_rejected_set_only_the_rejecting_parts_are_counted() {
        RedisRateLimiterFactory factory = factory();
        Limiter one =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("one", FixedWindow.of(1, DAY));
        Limiter two =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("two", FixedWindow.of(2, DAY));
        LimitSet set = LimitSet.of(one.on("a"), two.on("a"));
        assertThat(set.tryAcquire()).isTrue();
        assertThat(set.tryAcquire()).isFalse();
        assertThat(set.async().decide(1).join().isGranted()).isFalse();
        List<LimiterTotals> totals = factory.statistics().totals();
        assertThat(totals).extracting(LimiterTotals::name).containsExactly("one", "two");
        assertThat(totals).extracting(LimiterTotals::granted).containsExactly(1L, 1L);
        Eventually.that(
                () -> assertThat(totals).extracting(LimiterTotals::rejected).containsExactly(2L, 0L));
    }

    @Test
    void leases_are_counted_when_they_are_granted_and_while_they_are_held() {
        RedisRateLimiterFactory factory = factory();
        ConcurrencyLimiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", ConcurrencyLimit.of(1));
        Lease lease = limiter.tryAcquire("a").orElseThrow();
        assertThat(limiter.tryAcquire("a")).isEmpty();
        assertThat(factory.statistics().liveLeases()).isEqualTo(1);
        lease.close();
        assertThat(factory.statistics().liveLeases()).isZero();
        assertThat(only(factory).granted()).isEqualTo(1);
        assertThat(only(factory).rejected()).isEqualTo(1);
        assertThat(only(factory).limit()).contains(limiter.limit());
    }

    @Test
    void requests_without_a_decision_count_as_errors() {
        redis.expectForeignValues();
        RedisRateLimiterFactory factory = factory();
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", FixedWindow.of(1, DAY));
        RedisFixture.commands().lpush(redis.prefix() + "{a}{k}:window", new byte[1]);
        assertThatThrownBy(() -> limiter.tryAcquire("a")).isInstanceOf(LimiterBackendException.class);
        assertThatThrownBy(() -> limiter.on("a").async().decide(1).join())
                .hasCauseInstanceOf(LimiterBackendException.class);
        Eventually.that(() -> assertThat(only(factory).errors()).isEqualTo(2));
        assertThat(only(factory).granted() + only(factory).rejected()).isZero();
    }

    @Test
    void the_totals_have_a_changed_rate() {
        RedisRateLimiterFactory factory = factory();
        RateLimiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 1, 60);
        limiter.setRate(5);
        assertThat(only(factory).limit()).contains(limiter.limit());
    }

    @Test
    void the_observer_is_called_for_calls_and_batches() {
        RedisRateLimiterFactory factory = factory();
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", FixedWindow.of(100, DAY));
        limiter.decide("a");
        Eventually.that(() -> assertThat(recorder.calls).hasValue(1));
        assertThat(recorder.sent).containsExactly("1 of 1");
        RedisFixture.whileItIsBusy(() -> {
                    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
                    for (int i = 0; i < 40; i++) {
                        decisions.add(limiter.on("a").async().decide(1));
                    }
                    assertThat(factory.statistics().queuedRequests()).isPositive();
                    return decisions;
                })
                .forEach(decision -> assertThat(decision.join().isGranted()).isTrue());
        assertThat(factory.statistics().queuedRequests()).isZero();
        assertThat(recorder.requests).hasValue(41);
        assertThat(recorder.sent.size()).isLessThan(41);
        Eventually.that(() -> assertThat(recorder.calls).hasValue(recorder.sent.size()));
        assertThat(recorder.nanos.get()).isPositive();
        assertThat(recorder.failures).hasValue(0);
    }

    @Test
    void the_observer_is_called_only_for_actual_waits() {
        RedisRateLimiterFactory factory = factory();
        RateLimiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 1, 60);
        Duration patience = Duration.ofSeconds(10);
        limiter.decide(1, patience);
        assertThat(recorder.waits).isEmpty();
        limiter.decide(1, patience);
        limiter.async().decide(1, patience).join();
        LimitSet.of(limiter).decide(1, patience);
        assertThat(recorder.waits).containsExactly("k begins", "k ends", "k begins", "k ends", "k begins", "k ends");
    }

    @Test
    void listeners_are_called_for_rejections_and_delay_no_decision() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        AtomicBoolean thrown = new AtomicBoolean();
        List<String> events = new CopyOnWriteArrayList<>();
        RedisRateLimiterFactory factory = redis.builder()
                .listener(new LimiterListener() {
                    @Override
                    public void onLimitExceeded(LimitExceededEvent event) {
                        if (thrown.compareAndSet(false, true)) {
                            throw new IllegalStateException("a listener that throws");
                        }
                    }
                })
                .listener(new LimiterListener() {
                    @Override
                    public void onLimitExceeded(LimitExceededEvent event) {
                        try {
                            slow.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        events.add(event.limiter() + " " + event.keys() + " "
                                + event.decision().source());
                    }
                })
                .build();
        Limiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", FixedWindow.of(1, DAY));
        assertThat(limiter.tryAcquire("a")).isTrue();
        for (int i = 0; i < 5_000; i++) {
            assertThat(limiter.tryAcquire("a")).isFalse();
        }
        assertThat(limiter.tryAcquire()).isTrue();
        slow.countDown();
        Eventually.that(() -> assertThat(events).hasSizeGreaterThan(1000));
        assertThat(events.get(0)).isEqualTo("k [a] BACKEND");
        assertThat(events.get(1)).isEqualTo("k [a] REJECTION_CACHE");
        assertThat(only(factory).rejected()).isEqualTo(5_000);
        events.clear();
        limiter.tryAcquire();
        Eventually.that(() -> assertThat(events).contains("k [] BACKEND"));
    }

    private static final class Recorder implements EngineObserver {

        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger failures = new AtomicInteger();
        final AtomicInteger requests = new AtomicInteger();
        final AtomicLong nanos = new AtomicLong();
        final List<String> sent = new CopyOnWriteArrayList<>();
        final List<String> waits = new CopyOnWriteArrayList<>();

        @Override
        public void called(long callNanos, boolean failed) {
            calls.incrementAndGet();
            nanos.addAndGet(callNanos);
            if (failed) {
                failures.incrementAndGet();
            }
        }

        @Override
        public void sent(int keys, int requestsOfCall) {
            requests.addAndGet(requestsOfCall);
            sent.add(requestsOfCall + " of " + keys);
        }

        @Override
        public MayWait mayWait() {
            return limiter -> {
                waits.add(limiter.name() + " begins");
                return () -> waits.add(limiter.name() + " ends");
            };
        }
    }
}
