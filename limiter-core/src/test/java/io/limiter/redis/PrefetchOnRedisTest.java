package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Eventually;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An instance returns prefetched permits of a key that another one has reset, by script and under a lock. */
class PrefetchOnRedisTest {

    private static final TokenBucket LIMIT = TokenBucket.perSecond(0.001).withCapacity(1_000);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @ParameterizedTest
    @EnumSource
    void a_block_that_is_returned_after_a_reset_by_another_instance_is_what_could_have_been_used(RedisFixture.By by) {
        RedisRateLimiterFactory holding = factory(by);
        RateLimiter other = redis.limiters(by).build("k", LIMIT);
        long used = prefetch(prefetching(holding));
        long held = 1_000 - other.peek().remaining() - used;
        other.reset();
        assertThat(other.tryAcquire(990)).isTrue();
        holding.close();
        assertThat(held).isPositive();
        assertThat(other.peek().remaining()).isEqualTo(Math.min(1_000, 10 + held));
    }

    @ParameterizedTest
    @EnumSource
    void a_block_that_is_returned_after_a_reset_exceeds_no_capacity(RedisFixture.By by) {
        RedisRateLimiterFactory holding = factory(by);
        RateLimiter other = redis.limiters(by).build("k", LIMIT);
        prefetch(prefetching(holding));
        other.reset();
        assertThat(other.tryAcquire()).isTrue();
        holding.close();
        assertThat(other.peek().remaining()).isEqualTo(1_000);
    }

    /** One that can be closed. */
    private RedisRateLimiterFactory factory(RedisFixture.By by) {
        RedisRateLimiterFactory.Builder builder = redis.builder();
        return by == RedisFixture.By.SCRIPT
                ? builder.build()
                : builder.lock(new RedisLock(RedisFixture.connections()))
                        .lockWait(Duration.ofSeconds(30))
                        .build();
    }

    private RateLimiter prefetching(RedisRateLimiterFactory factory) {
        return factory.with(LimiterOptions.NONE
                        .withPrefix(redis.prefix())
                        .withPrefetch(Prefetch.of(Duration.ofSeconds(10))))
                .build("k", LIMIT);
    }

    /** Uses permits until one of them is prefetched, and says how many. */
    private static long prefetch(RateLimiter limiter) {
        int[] used = {0};
        Eventually.that(() -> {
            used[0]++;
            assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.PREFETCH);
        });
        return used[0];
    }
}
