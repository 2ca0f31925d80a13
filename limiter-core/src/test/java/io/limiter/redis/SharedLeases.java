package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Concurrency limiters in real time, over two connections to one Redis. */
final class SharedLeases {

    private static final int KEYS = 20;

    private SharedLeases() {}

    /** Permits of many keys are shared, waited for and renewed, and come back when their factory is closed. */
    static void check(RedisConnectionFactory one, RedisConnectionFactory other, String prefix) {
        try (RedisRateLimiterFactory here = RedisFixture.builder(one).build();
                RedisRateLimiterFactory there = RedisFixture.builder(other).build()) {
            share(held(here, prefix), held(there, prefix));
            renew(here.with(LimiterOptions.NONE.withPrefix(prefix))
                    .build("renewed", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(6))));
        }
        try (RedisRateLimiterFactory later = RedisFixture.builder(other).build()) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(held(later, prefix).on("key" + i).inUse()).isZero();
            }
        }
    }

    private static ConcurrencyLimiter held(RedisRateLimiterFactory factory, String prefix) {
        return factory.with(LimiterOptions.NONE.withPrefix(prefix))
                .build("held", ConcurrencyLimit.of(2).withLeaseTime(Duration.ofHours(1)));
    }

    /** Leaves one of each key held. */
    private static void share(ConcurrencyLimiter here, ConcurrencyLimiter there) {
        for (int i = 0; i < KEYS; i++) {
            String key = "key" + i;
            Lease first = here.on(key).acquire(1, Duration.ZERO);
            assertThat(there.on(key).tryAcquire(2, Duration.ZERO)).isEmpty();
            there.on(key).acquire(1, Duration.ZERO);
            assertThat(here.tryAcquire(key)).isEmpty();
            assertThat(there.on(key).inUse()).isEqualTo(2);
            CompletableFuture<Lease> waiting = there.on(key).async().acquire(1, Duration.ofMinutes(5));
            assertThat(waiting).isNotDone();
            first.close();
            waiting.join().close();
            assertThat(here.on(key).inUse()).isEqualTo(1);
        }
    }

    private static void renew(ConcurrencyLimiter limiter) {
        Map<String, Lease> leases = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            leases.put("key" + i, limiter.on("key" + i).acquire(1, Duration.ZERO));
        }
        Map<String, Long> left = new HashMap<>();
        Set<String> notRenewed = new HashSet<>(leases.keySet());
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            for (String key : List.copyOf(notRenewed)) {
                if (!leases.get(key).isHeld()) {
                    // This machine was paused for a whole lease time; repeat.
                    leases.put(key, limiter.on(key).acquire(1, Duration.ofMinutes(1)));
                    left.remove(key);
                }
                long now = limiter.on(key).peek().fullAfterMicros();
                Long before = left.put(key, now);
                if (before != null && now > before) {
                    notRenewed.remove(key);
                }
            }
            return notRenewed.isEmpty();
        });
    }
}
