package io.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.live.LiveOptions;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Instances with live limits, which poll when the test says so, on a Redis of the test class's own, because the keys of live
 * limits have no prefix. Its clock is moved by the test.
 */
public final class LiveFleet implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** They poll when they start, and then when the test says so. */
    static final LiveOptions BY_HAND = LiveOptions.DEFAULT.pollInterval(Duration.ofHours(1));

    private static final String CLOCK_KEY = "clock";

    private final List<RedisRateLimiterFactory> factories = new ArrayList<>();
    private RedisProcess redis;
    private RedisClient client;
    private LettuceConnectionFactory connections;
    private TestClock clock;

    @Override
    public void beforeAll(ExtensionContext context) {
        redis = RedisProcess.start();
        client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
        connections.afterPropertiesSet();
        connections.start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        commands(commands -> commands.flushall());
        clock = new TestClock(micros -> commands(commands -> commands.set(CLOCK_KEY, Long.toString(micros))));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        factories.forEach(RedisRateLimiterFactory::close);
        factories.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        connections.destroy();
        client.shutdown();
        redis.close();
    }

    /** Runs commands on a connection of its own. */
    <T> T commands(java.util.function.Function<RedisCommands<String, String>, T> run) {
        try (var connection = client.connect()) {
            return run.apply(connection.sync());
        }
    }

    RedisProcess redis() {
        return redis;
    }

    TestClock clock() {
        return clock;
    }

    /** Has Redis lose everything, as a restart without a file does. */
    void loseEverything() {
        String now = Long.toString(clock.micros());
        commands(commands -> {
            commands.flushall();
            return commands.set(CLOCK_KEY, now);
        });
    }

    RedisRateLimiterFactory instance() {
        return instance(UnaryOperator.identity());
    }

    RedisRateLimiterFactory instance(UnaryOperator<RedisRateLimiterFactory.Builder> settings) {
        RedisRateLimiterFactory.Builder builder = RedisFixture.builder(connections)
                .clock("local now = tonumber(redis.call('GET', '" + CLOCK_KEY + "'))", clock)
                .sleeper(clock)
                .liveLimits(BY_HAND)
                .liveHints(false);
        RedisRateLimiterFactory factory = settings.apply(builder).build();
        factories.add(factory);
        factory.pollLiveLimits();
        return factory;
    }
}
