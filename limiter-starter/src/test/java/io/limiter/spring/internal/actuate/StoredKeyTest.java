package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.HashTag;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.testing.TestCluster;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The endpoint says under which key Redis has permits, to those who may see keys. */
class StoredKeyTest {

    private static LimitersEndpoint endpoint(LimiterFactory limiters, Show showKeys) {
        return new LimitersEndpoint(
                new LimitLookup(limiters, Stream::empty, false, event -> {}),
                LiveLimits.NONE,
                new CallTimes(),
                new LimitersEndpoint.Settings(showKeys, Set.of()));
    }

    private static @Nullable String storedKey(LimitersEndpoint endpoint, String limit, @Nullable String key) {
        Object found = endpoint.limit(SecurityContext.NONE, new String[] {limit}, key);
        assertThat(found).isNotNull();
        KeyDescription permits = found instanceof LimitDescription all ? all.own() : (KeyDescription) found;
        assertThat(permits).isNotNull();
        return permits.storedKey();
    }

    @Test
    void in_a_cluster_it_has_the_hash_tag() {
        try (TestCluster cluster = TestCluster.start(1)) {
            LettuceConnectionFactory connections =
                    new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.nodes()));
            connections.start();
            try (RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connections)
                            .decisionTimeout(Duration.ofMinutes(2))
                            .namespace("shop")
                            .build();
                    RedisConnection redis = connections.getConnection()) {
                limiters.with(LimiterOptions.NONE.withPrefix("rateLimit:"))
                        .build("sms", TokenBucket.of(1, 1))
                        .tryAcquire("0171");
                limiters.build("login", FixedWindow.of(1, Duration.ofHours(1)));
                limiters.build("places", ConcurrencyLimit.of(1));
                limiters.with(LimiterOptions.NONE.withHashTag(HashTag.WHOLE_KEY))
                        .build("tagged", FixedWindow.of(1, Duration.ofHours(1)));

                LimitersEndpoint showing = endpoint(limiters, Show.ALWAYS);
                String sms = storedKey(showing, "sms", "0171");
                assertThat(sms).isEqualTo("shop:rateLimit:{#8}{0171}{sms}");
                assertThat(redis.keyCommands().exists(sms.getBytes())).isTrue();
                assertThat(storedKey(showing, "sms", null)).isEqualTo("shop:rateLimit:{sms}");
                assertThat(storedKey(showing, "login", "a b"))
                        .matches("shop:countLimit:\\{#\\d+}\\{a%20b\\}\\{login}:window");
                assertThat(storedKey(showing, "places", "ann"))
                        .matches("shop:concurrentLimit:\\{#\\d+}\\{ann\\}\\{places}:holders");
                assertThat(storedKey(showing, "login", "acme#a%231"))
                        .matches("shop:countLimit:\\{#\\d+}\\{acme}\\{login:a%231}:window");
                assertThat(storedKey(showing, "tagged", "acme#ann"))
                        .matches("shop:countLimit:\\{#\\d+}\\{tagged:acme#ann}:window");

                LimitersEndpoint hiding = endpoint(limiters, Show.NEVER);
                assertThat(storedKey(hiding, "sms", "0171")).isNull();
                assertThat(storedKey(hiding, "sms", null)).isNull();
            }
            connections.destroy();
        }
    }

    @Test
    void a_limit_in_process_has_none() {
        LimiterFactory limiters = LocalLimiterFactory.builder().build();
        limiters.build("sms", TokenBucket.of(1, 1)).tryAcquire("0171");
        assertThat(storedKey(endpoint(limiters, Show.ALWAYS), "sms", "0171")).isNull();
    }
}
