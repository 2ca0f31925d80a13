package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A round trip of more than half the decision timeout: no request has the time to wait for another call's reply. */
@Execution(ExecutionMode.CONCURRENT)
class SlowRedisTest {

    private static final Duration DECISION_TIMEOUT = Duration.ofMillis(2500);
    private static final Duration DELAY = Duration.ofMillis(1500);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void redis_decides_and_the_circuit_breaker_stays_closed(int keys) {
        MuteProxy proxy = resources.proxyTo(TestRedis.shared().port());
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(
                        resources.lettuce(Resources.at(proxy.port())))
                .decisionTimeout(DECISION_TIMEOUT)
                .failurePolicy(FailurePolicy.ALLOW)
                .build()) {
            factory.warmUp().join();
            Limiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                    .build("slow", FixedWindow.of(1_000_000, Duration.ofHours(1)));
            proxy.delayReplies(DELAY);
            // The round trip is known from its reply.
            limiter.decide("k");
            Queue<Decision.Source> sources = new ConcurrentLinkedQueue<>();
            AtomicInteger key = new AtomicInteger();
            Concurrently.run(16, () -> {
                for (int i = 0; i < 2; i++) {
                    sources.add(limiter.on("k" + key.incrementAndGet() % keys)
                            .decide(1)
                            .source());
                }
            });
            assertThat(sources).hasSize(32).containsOnly(Decision.Source.BACKEND);
            assertThat(factory.backendState().lastFailure()).isEmpty();
        }
    }
}
