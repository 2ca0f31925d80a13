package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.limiter.LimiterStatistics;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.LogLines;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class EvictionWarningTest {

    private static final Supplier<LimiterStatistics> NONE = () -> LimiterStatistics.NONE;

    private static RedisProcess redis;
    private static LettuceConnectionFactory connections;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        connections = connect(new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
    }

    @AfterAll
    static void stop() {
        connections.destroy();
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "allkeys-lru",
                "allkeys-lfu",
                "allkeys-random",
                "volatile-lru",
                "volatile-lfu",
                "volatile-random",
                "volatile-ttl"
            })
    void each_policy_that_evicts_logs_a_warning_if_memory_is_bounded(String policy) {
        assertThat(logged(policy, "100mb", connections))
                .singleElement()
                .asString()
                .contains("maxmemory-policy is " + policy, "evicted 0 keys", "noeviction");
        assertThat(logged(policy, "0", connections)).isEmpty();
    }

    /** Actuator is there and is not used. */
    @Test
    void a_starting_application_logs_the_warning_once() {
        configure("allkeys-lru", "100mb");
        try (LogLines lines = new LogLines(EvictionWarning.class)) {
            application(redis.port()).run(context -> {
                Eventually.that(
                        () -> assertThat(lines.all()).singleElement().asString().startsWith("WARN"));
            });
        }
    }

    @Test
    void a_redis_that_is_unavailable_at_startup_is_checked_when_it_has_recovered() throws IOException {
        try (LogLines lines = new LogLines(EvictionWarning.class.getName(), Level.DEBUG);
                RedisProcess late = RedisProcess.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
            LettuceConnectionFactory lost = connect(new RedisStandaloneConfiguration("127.0.0.1", late.port()));
            late.kill();
            EvictionWarning warning = new EvictionWarning(lost, NONE, Duration.ofMillis(100));
            warning.start();
            Eventually.that(() -> assertThat(lines.all())
                    .hasSizeGreaterThan(1)
                    .allMatch(line -> line.startsWith("DEBUG Whether Redis may evict keys could not be read.")));
            late.startAgain();
            Eventually.that(() -> assertThat(lines.all()).last().asString().startsWith("WARN Redis may evict keys"));
            warning.stop();
            lost.destroy();
        }
    }

    @Test
    void an_application_starts_without_redis_and_stops_without_waiting_for_it() {
        RedisProcess never = RedisProcess.start();
        never.close();
        application(never.port()).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(EvictionWarning.class).isRunning()).isTrue();
        });
    }

    private static ApplicationContextRunner application(int port) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.data.redis.port=" + port, "spring.data.redis.host=127.0.0.1");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void without_eviction_there_is_no_warning() {
        assertThat(logged("noeviction", "100mb", connections)).isEmpty();
    }

    @Test
    void without_the_right_there_is_no_warning() {
        run("ACL", "SETUSER", "limiter", "on", ">password", "-@all", "+hello", "+auth", "+ping", "+client");
        RedisStandaloneConfiguration where = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        where.setUsername("limiter");
        where.setPassword(RedisPassword.of("password"));
        LettuceConnectionFactory restricted = connect(where);
        assertThat(logged("allkeys-lru", "100mb", restricted)).isEmpty();
        restricted.destroy();
    }

    @Test
    void each_node_of_a_cluster_is_checked() {
        Properties info = new Properties();
        info.setProperty("127.0.0.1:1.maxmemory_policy", "noeviction");
        info.setProperty("127.0.0.1:1.maxmemory", "1");
        assertThat(EvictionWarning.warning(info)).isEmpty();
        info.setProperty("127.0.0.1:2.maxmemory_policy", "volatile-ttl");
        info.setProperty("127.0.0.1:2.maxmemory", "1");
        info.setProperty("127.0.0.1:2.evicted_keys", "7");
        assertThat(EvictionWarning.warning(info)).get().asString().contains("volatile-ttl", "evicted 7 keys");
    }

    private static List<String> logged(String policy, String memory, LettuceConnectionFactory where) {
        configure(policy, memory);
        try (LogLines lines = new LogLines(EvictionWarning.class)) {
            new EvictionWarning(where, NONE).check();
            return lines.all();
        }
    }

    @Test
    void a_limit_that_must_outlive_a_restart_is_named_if_redis_has_no_append_only_file() {
        configure("noeviction", "0");
        RedisRateLimiterFactory limiters =
                RedisRateLimiterFactory.builder(connections).build();
        try (limiters;
                LogLines lines = new LogLines(EvictionWarning.class)) {
            EvictionWarning warning = new EvictionWarning(connections, limiters::statistics);
            limiters.build("daily", FixedWindow.of(1, CalendarPeriod.DAY));
            warning.check();
            assertThat(lines.all()).isEmpty();
            limiters.build("quota", FixedWindow.of(1, CalendarPeriod.MONTH));
            warning.check();
            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN Redis has no append-only file")
                    .contains("limit 'quota'", "appendonly");
            run("CONFIG", "SET", "appendonly", "yes");
            warning.check();
            assertThat(lines.all()).hasSize(1);
        } finally {
            run("CONFIG", "SET", "appendonly", "no");
        }
    }

    private static void configure(String policy, String memory) {
        run("CONFIG", "SET", "maxmemory", memory);
        run("CONFIG", "SET", "maxmemory-policy", policy);
    }

    private static void run(String command, String... arguments) {
        try (RedisConnection connection = connections.getConnection()) {
            byte[][] bytes = List.of(arguments).stream().map(String::getBytes).toArray(byte[][]::new);
            connection.execute(command, bytes);
        }
    }

    private static LettuceConnectionFactory connect(RedisStandaloneConfiguration where) {
        LettuceConnectionFactory connected = new LettuceConnectionFactory(where);
        connected.afterPropertiesSet();
        connected.start();
        return connected;
    }
}
