package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.DecisionsContract;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.MuteProxy.Replies;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.spring.data.connection.RedissonConnectionFactory;

/** Redisson's own connection factory, which is neither Lettuce's nor Jedis's. */
class RedissonConnectionsTest extends RedisCallsContract {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Override
    protected LimiterFactory build() {
        return redis.overRedisson();
    }

    @Nested
    @Tag("soak")
    class Decisions extends DecisionsContract {}

    @Test
    void redis_decides_with_and_without_keys_and_sets() {
        RateLimiter limiter = limiters().build("k", 1, 2, 60);
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(limiter.decide("ann").source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(LimitSet.of(limiter.on("ann"))
                        .and(limiter.on("bob"))
                        .decide()
                        .isGranted())
                .isTrue();
    }

    /** With more attempts, Redisson sends it again. */
    @Test
    void a_decision_whose_reply_is_lost_is_not_executed_twice_without_retries() {
        MuteProxy proxy = resources.proxyTo(TestRedis.shared().port());
        RedissonConnectionFactory connections =
                new RedissonConnectionFactory(resources.redisson(Resources.at(proxy.port())));
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(connections).rejectionCacheSize(0).build()) {
            Limiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                    .build("k", TokenBucket.of(0.01, 10_000));
            assertThat(limiter.decide(1).isGranted()).isTrue();
            proxy.replies(Replies.CUT_OFF_ONCE);
            assertThatThrownBy(() -> limiter.decide(1)).isInstanceOf(LimiterBackendException.class);
            assertThat(limiters()
                            .build("k", TokenBucket.of(0.01, 10_000))
                            .peek(1)
                            .remaining())
                    .isEqualTo(98);
        }
    }

    /** Redisson sends it again, and Redis knows that it has executed it. */
    @Test
    void a_refund_whose_reply_is_lost_is_executed_once() {
        MuteProxy proxy = resources.proxyTo(TestRedis.shared().port());
        RedissonConnectionFactory connections =
                new RedissonConnectionFactory(resources.redisson(Resources.at(proxy.port()), 4));
        TokenBucket hundred = TokenBucket.of(0.01, 10_000);
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .rejectionCacheSize(0)
                .decisionTimeout(Duration.ofMinutes(1))
                .build()) {
            Limiter limiter =
                    factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", hundred);
            limiter.decide(50);
            proxy.replies(Replies.CUT_OFF_ONCE);
            assertThatThrownBy(() -> limiter.refund(10))
                    .isInstanceOfSatisfying(
                            LimiterBackendException.class,
                            e -> assertThat(e.problem()).as(e.toString()).isEqualTo(BackendFailures.REPEATED));
            assertThat(limiters().build("k", hundred).peek(1).remaining()).isEqualTo(60);
        }
    }
}
