package io.limiter.benchmark.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** What docs/migration.md says of both sides, where no clock can make a difference: the rates are of an hour and more. */
class MigrationTest {

    private static final double ONE_AN_HOUR = 1.0 / 3600;
    private static final Duration HOUR = Duration.ofHours(1);

    private final LimiterFactory limiters = new LocalLimiterFactory();

    @Test
    void what_the_page_comes_to_runs() {
        MigrationSnippets after = new MigrationSnippets(limiters);
        List<Object> rejected = new ArrayList<>();
        after.guava();
        assertThat(after.bucket4j("ann", rejected::add)).isTrue();
        assertThat(after.bucket4jTwo("ann")).isTrue();
        for (int i = 0; i < 5; i++) {
            after.redisson("0171", rejected::add);
        }
        assertThat(rejected).isEmpty();
        after.redisson("0171", rejected::add);
        assertThat(rejected).containsExactly("0171");
    }

    @Test
    void in_guava_and_with_create_the_next_caller_pays() {
        com.google.common.util.concurrent.RateLimiter guava =
                com.google.common.util.concurrent.RateLimiter.create(ONE_AN_HOUR);
        RateLimiter created = limiters.build("guava", TokenBucket.guava(ONE_AN_HOUR));
        assertThat(List.of(guava.tryAcquire(1), guava.tryAcquire(1))).containsExactly(true, false);
        assertThat(List.of(created.tryAcquire(1), created.tryAcquire(1))).containsExactly(true, false);
    }

    @Test
    void guava_grants_any_number_and_create_as_many_as_max_wait_has_room_for() {
        double fiveASecond = 5;
        assertThat(com.google.common.util.concurrent.RateLimiter.create(fiveASecond)
                        .tryAcquire(18_001))
                .isTrue();
        assertThat(limiters.build("much", TokenBucket.guava(fiveASecond)).tryAcquire(18_000))
                .isTrue();
        assertThatThrownBy(() -> limiters.build("too-much", TokenBucket.guava(fiveASecond))
                        .acquire(18_001))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void what_is_built_otherwise_waits_for_its_own_permits() {
        RateLimiter own = limiters.build("own", ONE_AN_HOUR, 2 * 3600, 60);
        assertThat(own.tryAcquire(3)).isFalse();
        assertThat(own.tryAcquire(2)).isTrue();
    }

    @Test
    void a_greedy_bucket_is_a_rate_and_a_burst() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(50).refillGreedy(10, HOUR))
                .build();
        RateLimiter limiter = limiters.build("greedy", 10.0 / 3600, 5 * 3600, 60);
        assertThat(limiter.peek().limit()).isEqualTo(50);
        for (int permits : new int[] {51, 20, 31, 30, 1}) {
            assertThat(limiter.tryAcquire(permits)).as("%d permits", permits).isEqualTo(bucket.tryConsume(permits));
        }
        assertThat(limiter.decide(51).retryAfter()).isEmpty();
    }

    @Test
    void resilience4j_waits_unless_configured_otherwise() {
        assertThat(RateLimiterConfig.ofDefaults().getTimeoutDuration()).isEqualTo(Duration.ofSeconds(5));
        assertThat(RateLimiterConfig.ofDefaults().getLimitForPeriod()).isEqualTo(50);
        assertThat(RateLimiterConfig.ofDefaults().getLimitRefreshPeriod()).isEqualTo(Duration.ofNanos(500));
        assertThat(RateLimiterConfig.ofDefaults().isWritableStackTraceEnabled()).isTrue();
    }

    @Test
    void redisson_forgets_what_was_taken_when_the_rate_is_set() {
        RedisServer redis = RedisServer.start();
        RedissonClient redisson = redisson(redis.port());
        try {
            RRateLimiter before = redisson.getRateLimiter("limiter");
            before.trySetRate(RateType.OVERALL, 2, HOUR);
            assertThat(before.tryAcquire(2)).isTrue();
            assertThat(before.trySetRate(RateType.OVERALL, 4, HOUR)).isFalse();
            assertThat(before.tryAcquire()).isFalse();
            before.setRate(RateType.OVERALL, 2, HOUR);
            assertThat(before.tryAcquire(2)).isTrue();
            assertThatThrownBy(() -> before.tryAcquire(3)).hasMessageContaining("cannot exceed defined rate");
            assertThat(before.remainTimeToLive()).isEqualTo(-1);
        } finally {
            redisson.shutdown();
            redis.close();
        }
    }

    @Test
    void another_definition_keeps_what_was_taken() {
        assertThat(limiters.build("log", SlidingLog.of(2, HOUR)).tryAcquire(2)).isTrue();
        Limiter more = limiters.build("log", SlidingLog.of(4, HOUR));
        assertThat(more.tryAcquire(3)).isFalse();
        assertThat(more.tryAcquire(2)).isTrue();
        assertThat(more.decide(5).retryAfter()).isEmpty();
        more.refund(100);
        assertThat(more.peek().remaining()).isEqualTo(4);

        assertThat(limiters.build("window", FixedWindow.of(2, HOUR)).tryAcquire(2))
                .isTrue();
        assertThat(limiters.build("window", FixedWindow.of(3, HOUR)).tryAcquire(2))
                .isFalse();
    }

    private static RedissonClient redisson(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return Redisson.create(config);
    }
}
