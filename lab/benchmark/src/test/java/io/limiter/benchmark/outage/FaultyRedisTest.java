package io.limiter.benchmark.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.benchmark.subject.RedisClients;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each fault does to Redis what its name says. */
class FaultyRedisTest {

    private static final byte[] VALUE = {1};

    @Test
    void a_stopped_redis_answers_later_and_has_its_data() throws Exception {
        long half = TimeUnit.MILLISECONDS.toNanos(100);
        long longest = 0;
        try (FaultyRedis redis = FaultyRedis.start(Fault.STOPPED);
                RedisClients clients = redis.clients()) {
            RedisCommands<String, byte[]> commands = clients.lettuce().sync();
            commands.set("key", VALUE);
            // Once is enough, because a busy machine may keep this thread from calling while Redis is stopped.
            for (int i = 0; i < 20 && longest < half; i++) {
                FutureTask<Integer> fault = new FutureTask<>(() -> redis.inflict(0.2));
                new Thread(fault, "fault").start();
                while (!fault.isDone()) {
                    long start = System.nanoTime();
                    assertThat(commands.get("key")).isEqualTo(VALUE);
                    longest = Math.max(longest, System.nanoTime() - start);
                }
                assertThat(fault.get()).isZero();
            }
        }
        assertThat(longest).isGreaterThan(half);
    }

    @ParameterizedTest
    @EnumSource(names = {"RESTARTED", "CRASH_LOOPING"})
    void a_redis_that_is_killed_starts_without_its_data(Fault fault) throws Exception {
        try (FaultyRedis redis = FaultyRedis.start(fault)) {
            call(redis, commands -> commands.set("key", VALUE));
            assertThat(redis.inflict(0.1)).isOne();
            assertThat(value(redis)).isNull();
        }
    }

    @Test
    void after_a_failover_clients_reach_another_redis_with_the_data() throws Exception {
        try (FaultyRedis redis = FaultyRedis.start(Fault.FAILED_OVER)) {
            String before = call(redis, FaultyRedisTest::id);
            call(redis, commands -> {
                commands.set("key", VALUE);
                return commands.waitForReplication(1, 0);
            });
            assertThat(redis.inflict(0)).isOne();
            assertThat(call(redis, FaultyRedisTest::id)).isNotEqualTo(before);
            assertThat(value(redis)).isEqualTo(VALUE);
        }
    }

    private static byte @Nullable [] value(FaultyRedis redis) {
        return call(redis, commands -> commands.get("key"));
    }

    private static String id(RedisCommands<String, byte[]> commands) {
        return commands.info("server")
                .lines()
                .filter(line -> line.startsWith("run_id:"))
                .findFirst()
                .orElseThrow();
    }

    /** On a new connection. */
    private static <T extends @Nullable Object> T call(
            FaultyRedis redis, Function<RedisCommands<String, byte[]>, T> command) {
        try (RedisClients clients = redis.clients()) {
            return command.apply(clients.lettuce().sync());
        }
    }
}
