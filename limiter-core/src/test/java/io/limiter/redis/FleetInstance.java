package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.testing.TestRedis;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * What the programs of a fleet's members share: limiters on the tests' Redis, and how a program waits for its test. A program's
 * first arguments are the prefix of its keys and the engine.
 */
final class FleetInstance implements AutoCloseable {

    private final RedisRateLimiterFactory factory;
    private final LimiterFactory limiters;
    private final Engine engine;
    private final List<String> arguments;

    /** How an instance decides. */
    enum Engine {
        SCRIPT,
        WITHOUT_GROUP_COMMIT,
        JEDIS,
        LOCK,
        REDISSON
    }

    FleetInstance(String[] args) {
        this(args, UnaryOperator.identity());
    }

    FleetInstance(String[] args, UnaryOperator<RedisRateLimiterFactory.Builder> settings) {
        engine = Engine.valueOf(args[1].toUpperCase(Locale.ROOT));
        RedisConnectionFactory connections = engine == Engine.JEDIS ? jedis() : RedisFixture.connections();
        RedisRateLimiterFactory.Builder builder = RedisFixture.builder(connections)
                .groupCommit(engine != Engine.WITHOUT_GROUP_COMMIT)
                .lockWait(Duration.ofSeconds(30));
        if (engine == Engine.LOCK) {
            builder.lock(new RedisLock(connections));
        }
        if (engine == Engine.REDISSON) {
            builder.lock(new RedissonLock(RedisFixture.redisson()));
        }
        factory = settings.apply(builder).build();
        limiters = factory.with(LimiterOptions.NONE.withPrefix(args[0]));
        arguments = List.of(args).subList(2, args.length);
    }

    private static RedisConnectionFactory jedis() {
        JedisConnectionFactory jedis = new JedisConnectionFactory(new RedisStandaloneConfiguration(
                TestRedis.shared().host(), TestRedis.shared().port()));
        jedis.afterPropertiesSet();
        jedis.start();
        return jedis;
    }

    RedisRateLimiterFactory factory() {
        return factory;
    }

    /** With the prefix of the test's keys. */
    LimiterFactory limiters() {
        return limiters;
    }

    Engine engine() {
        return engine;
    }

    /** One of the arguments that only this program has, as the two below. */
    String argument(int index) {
        return arguments.get(index);
    }

    int count(int index) {
        return Integer.parseInt(argument(index));
    }

    double number(int index) {
        return Double.parseDouble(argument(index));
    }

    /** Prints {@code ready} and waits for a line of the test. */
    void awaitGo() throws IOException {
        System.out.println("ready");
        if (System.in.read() < 0) {
            throw new EOFException("the test has ended");
        }
    }

    /** Server time. */
    static long redisMicros() {
        try (RedisConnection connection = RedisFixture.connections().getConnection()) {
            return connection.serverCommands().time(TimeUnit.MICROSECONDS);
        }
    }

    @Override
    public void close() {
        factory.close();
    }
}
