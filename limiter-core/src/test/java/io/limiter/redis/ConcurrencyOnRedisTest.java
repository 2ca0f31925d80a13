package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrency limiters on Redis in real time: renewal in the background and waiting threads. */
@Tag("threads")
class ConcurrencyOnRedisTest {

    private static final int WAITING = 50;
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_lease_is_renewed_in_the_background() {
        try (RedisRateLimiterFactory factory = factory(false)) {
            ConcurrencyLimiter limiter = limiter(factory, 1, Duration.ofSeconds(12));
            try (Lease lease = limiter.acquire(1, Duration.ZERO)) {
                long expiresMicros = expiresMicros();
                await().atMost(Duration.ofMinutes(1)).until(() -> expiresMicros() > expiresMicros);
                // Otherwise this machine was paused for two thirds of a lease.
                if (lease.isHeld()) {
                    assertThat(limiter.tryAcquire()).isEmpty();
                }
            }
            assertThat(limiter.inUse()).isZero();
        }
    }

    @Test
    void fifty_waiting_callers_cost_no_more_calls_than_one() {
        AtomicInteger calls = new AtomicInteger();
        EngineObserver observer = new EngineObserver() {
            @Override
            public void called(long nanos, boolean failed) {
                calls.incrementAndGet();
            }
        };
        // Otherwise requests of fifty queues would share calls.
        try (RedisRateLimiterFactory factory = RedisFixture.builder(RedisFixture.connections())
                .groupCommit(false)
                .listener(observer)
                .build()) {
            ConcurrencyLimiter limiter = limiter(factory, 1, Duration.ofMinutes(1));
            Lease lease = limiter.acquire(1, Duration.ZERO);
            calls.set(0);
            long startNanos = System.nanoTime();
            List<CompletableFuture<Optional<Lease>>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITING; i++) {
                waiting.add(limiter.async().tryAcquire(Duration.ofSeconds(2)));
            }
            waiting.forEach(each -> assertThat(each.join()).isEmpty());
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
            // Immediately, after 16 ms, 32 ms ... 128 ms, then four times a second, and when the time of some of them
            // is
            // up, which on a slow machine is a call for each of them. One more gives up the place. Alone, each would
            // make
            // twelve calls.
            assertThat(calls.get()).isPositive().isLessThan((int) (8 + 4 * seconds + WAITING + 2));
            lease.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void all_waiting_threads_are_granted_in_the_end(boolean underLock) {
        try (RedisRateLimiterFactory factory = factory(underLock)) {
            ConcurrencyLimiter limiter = limiter(factory, 2, Duration.ofMinutes(1));
            AtomicInteger holding = new AtomicInteger();
            AtomicInteger turns = new AtomicInteger();
            Concurrently.run(8, () -> {
                for (int i = 0; i < 5; i++) {
                    try (Lease lease = limiter.acquire(1, Duration.ofMinutes(2))) {
                        assertThat(holding.incrementAndGet()).isLessThanOrEqualTo(2);
                        assertThat(lease.isHeld()).isTrue();
                        Thread.onSpinWait();
                        turns.incrementAndGet();
                        holding.decrementAndGet();
                    }
                }
            });
            assertThat(turns).hasValue(40);
            assertThat(limiter.inUse()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closing_the_factory_releases_its_leases_and_fails_waiting_callers(boolean underLock) {
        RedisRateLimiterFactory factory = factory(underLock);
        ConcurrencyLimiter limiter = limiter(factory, 1, Duration.ofMinutes(1));
        Lease own = limiter.acquire(1, Duration.ZERO);
        Lease keyed = limiter.on("a").acquire(1, Duration.ZERO);
        CompletableFuture<Lease> waiting = limiter.async().acquire(1, Duration.ofMinutes(1));
        factory.close();
        factory.close();
        assertThatThrownBy(waiting::join)
                .cause()
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("the limiters were closed");
        assertThat(own.isHeld()).isFalse();
        assertThat(keyed.isHeld()).isFalse();
        assertThatThrownBy(limiter::tryAcquire).isInstanceOf(LimiterBackendException.class);
        try (RedisRateLimiterFactory other = factory(underLock)) {
            ConcurrencyLimiter again = limiter(other, 1, Duration.ofMinutes(1));
            // A request that was under way is released at the same time as the close.
            await().atMost(Duration.ofMinutes(1)).until(() -> again.inUse() == 0);
            await().atMost(Duration.ofMinutes(1)).until(() -> again.on("a").inUse() == 0);
        }
    }

    /** Of two JVMs, in each of which a caller waits: the permit that one of them releases is the other's. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void who_waits_in_another_jvm_is_served_before_those_who_came_later(boolean underLock) throws Exception {
        try (RedisRateLimiterFactory one = factory(underLock);
                RedisRateLimiterFactory other = factory(underLock)) {
            ConcurrencyLimiter here = limiter(one, 1, Duration.ofMinutes(5));
            ConcurrencyLimiter there = limiter(other, 1, Duration.ofMinutes(5));
            Lease held = here.acquire();
            CompletableFuture<Lease> first = here.async().acquire(HOUR);
            await().atMost(Duration.ofMinutes(1)).until(() -> stored().size() == 2);
            CompletableFuture<Lease> second = there.async().acquire(HOUR);
            await().atMost(Duration.ofMinutes(1)).until(() -> stored().size() == 3);
            CompletableFuture<Lease> third = here.async().acquire(HOUR);
            held.close();
            first.get(1, TimeUnit.MINUTES).close();
            Lease ofOther = second.get(1, TimeUnit.MINUTES);
            assertThat(third).isNotDone();
            assertThat(here.tryAcquire()).isEmpty();
            ofOther.close();
            third.get(1, TimeUnit.MINUTES).close();
            await().atMost(Duration.ofMinutes(1)).until(() -> stored().isEmpty());
        }
    }

    @Test
    void a_caller_that_gives_up_gives_up_its_place_in_the_fleet() {
        try (RedisRateLimiterFactory one = factory(false);
                RedisRateLimiterFactory other = factory(false)) {
            ConcurrencyLimiter here = limiter(one, 1, Duration.ofMinutes(5));
            Lease held = here.acquire();
            CompletableFuture<Lease> waiting =
                    limiter(other, 1, Duration.ofMinutes(5)).async().acquire(HOUR);
            await().atMost(Duration.ofMinutes(1)).until(() -> stored().size() == 2);
            waiting.cancel(false);
            await().atMost(Duration.ofMinutes(1)).until(() -> stored().size() == 1);
            held.close();
            assertThat(here.tryAcquire()).isPresent();
        }
    }

    private List<ConcurrencyLimit.Holder> stored() {
        String key = redis.prefix() + "{k}:holders";
        ConcurrencyLimit.State state =
                new StateCodec().read(key, RedisFixture.commands().get(key), ConcurrencyLimit.of(1), 0, 1);
        return state == null ? List.of() : state.holders();
    }

    @Test
    void cancelled_waits_leave_no_lease_behind() {
        try (RedisRateLimiterFactory factory = factory(false)) {
            ConcurrencyLimiter limiter = limiter(factory, 3, Duration.ofMinutes(1));
            AtomicInteger thread = new AtomicInteger();
            Concurrently.run(4, () -> {
                Random random = new Random(Seed.VALUE + thread.getAndIncrement());
                for (int i = 0; i < 100; i++) {
                    CompletableFuture<Lease> wanted = limiter.async().acquire(1, Duration.ofMinutes(1));
                    if (random.nextBoolean()) {
                        Thread.yield();
                    }
                    if (!wanted.cancel(false)) {
                        wanted.join().close();
                    }
                }
            });
            await(Seed.hint()).atMost(Duration.ofMinutes(1)).until(() -> limiter.inUse() == 0);
        }
    }

    private long expiresMicros() {
        String key = redis.prefix() + "{k}:holders";
        ConcurrencyLimit.State holders =
                new StateCodec().read(key, RedisFixture.commands().get(key), ConcurrencyLimit.of(1), 0, 1);
        return holders.holders().get(0).expiresMicros();
    }

    private RedisRateLimiterFactory factory(boolean underLock) {
        Setup setup = underLock ? Setup.REDIS_LOCK : Setup.LETTUCE;
        return setup.on(
                        RedisFixture.builder(RedisFixture.connections()),
                        RedisFixture.connections(),
                        RedisFixture::redisson)
                .lockWait(Duration.ofSeconds(30))
                .build();
    }

    private ConcurrencyLimiter limiter(RedisRateLimiterFactory factory, int limit, Duration leaseTime) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("k", ConcurrencyLimit.of(limit).withLeaseTime(leaseTime));
    }
}
