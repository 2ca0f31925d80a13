package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a factory over Redis builds of a token bucket. */
class RedisRateLimiterTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private RedisRateLimiterFactory factory;
    private String namespace;

    @BeforeEach
    void build() {
        namespace = redis.prefix().replace(":", "");
        factory = redis.builder().namespace(namespace).build();
    }

    @AfterEach
    void close() {
        factory.close();
    }

    @Test
    void it_names_its_keys_in_redis() {
        RedisRateLimiter limiter = factory.build("sms", 1.0 / 5, 5, 60);
        RedisRateLimiter phone = limiter.on("0171");

        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(phone.tryAcquire()).isTrue();
        assertThat(phone.on("code").tryAcquire()).isTrue();
        assertThat(redis.keys())
                .containsExactlyInAnyOrder(
                        limiter.redisKey(), phone.redisKey(), phone.on("code").redisKey());
        assertThat(limiter.redisKey()).isEqualTo(namespace + ":rateLimit:{sms}");
        assertThat(phone.redisKey()).isEqualTo(namespace + ":rateLimit:{0171}{sms}");
    }

    @Test
    void equal_definitions_of_a_name_are_one_limiter() {
        RedisRateLimiter limiter = factory.build("rate2", 1.0 / 5, 5, 60);

        assertThat(factory.build("rate2", 1.0 / 5, 5, 60)).isSameAs(limiter);
        assertThat(factory.build("rate2", TokenBucket.of(1.0 / 5, 5))).isSameAs(limiter);
        assertThat(factory.build("rate2", 1.0 / 5, 10, 60)).isNotSameAs(limiter);
        assertThat(factory.build("rate3", 1.0 / 5, 5, 60)).isNotSameAs(limiter);
    }

    @Test
    void views_of_the_factory_are_factories_over_redis_too() {
        RedisRateLimiterFactory view =
                factory.with(LimiterOptions.NONE.withPrefix("own:").withFailurePolicy(FailurePolicy.DENY));
        RedisRateLimiter limiter = view.build("k", 1, 1, 60);
        assertThat(limiter.redisKey()).isEqualTo(namespace + ":own:{k}");
        assertThat(view.failurePolicy()).isEqualTo(FailurePolicy.DENY);
        assertThat(view.isLocal()).isFalse();
        view.close();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(view.warmUp().join()).isTrue();
        assertThat(factory.build("k", (Limit) TokenBucket.perSecond(1))).isInstanceOf(RedisRateLimiter.class);
        assertThat(factory.build("w", FixedWindow.of(1, Duration.ofSeconds(1))))
                .isNotInstanceOf(RedisRateLimiter.class);
    }

    @Test
    void a_limit_that_is_defined_by_its_name_is_one_too() {
        LimiterOptions shared = LimiterOptions.NONE.withNamespace(namespace + "shared");
        try (RedisRateLimiterFactory defining = redis.builder()
                .namespace(namespace)
                .define("quotes", TokenBucket.of(1.0 / 5, 5), shared)
                .build()) {
            RedisRateLimiter limiter = defining.rateLimiter("quotes");
            assertThat(limiter.redisKey()).isEqualTo(namespace + "shared:rateLimit:{quotes}");
            assertThat(limiter.tryAcquire()).isTrue();
            assertThat(defining.with(shared).build("quotes", 1.0 / 5, 5, 60).tryAcquire())
                    .isFalse();
        }
    }

    @Test
    void a_timeout_of_zero_does_not_wait() {
        RedisRateLimiter limiter = factory.build("rate2", 1.0 / 5, 5, 60);

        assertThat(limiter.tryAcquire("key", 0, TimeUnit.SECONDS)).isTrue();
        assertThat(limiter.tryAcquire("key", 0, TimeUnit.SECONDS)).isFalse();
        assertThat(limiter.tryAcquire("other", 0, TimeUnit.SECONDS)).isTrue();
        redis.clock().advance(Duration.ofSeconds(5));
        assertThat(limiter.tryAcquire("key", 0, TimeUnit.SECONDS)).isTrue();
    }
}
