package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Applications that stop, and start again: their live limits, and their last decisions. */
class LifecycleTest {

    private static final String POOLED = "spring.data.redis.lettuce.pool.enabled=true";
    private static final String NOT_POOLED = "spring.data.redis.lettuce.pool.enabled=false";
    private static final String JEDIS = "spring.data.redis.client-type=jedis";

    private static final String CHANNEL = "{limiter:live}";
    private static final ChangeNote NOTE = ChangeNote.of("ann", "");

    /** Of applications that other tests in this JVM share. */
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    private static RedisProcess redis;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> connection;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        connection = client.connect();
    }

    @AfterEach
    void flush() {
        connection.sync().flushall();
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        redis.close();
    }

    /** An application that polls once, so that it sees changes by hints only. */
    private static void run(String option, ContextConsumer<AssertableApplicationContext> test, String... more) {
        application(option).withPropertyValues(more).run(test);
    }

    private static ApplicationContextRunner application(String option) {
        return Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "limiter.failure.decision-timeout=2m",
                        "limiter.live.poll-interval=1h",
                        // A smaller pool is warned of.
                        "spring.data.redis.jedis.pool.max-active=16",
                        option);
    }

    @ParameterizedTest
    @ValueSource(strings = {POOLED, NOT_POOLED, JEDIS})
    void a_context_that_closes_logs_nothing_and_leaves_no_thread(String option) {
        try (LogLines ours = new LogLines("io.limiter");
                LogLines springs = new LogLines("org.springframework.data.redis")) {
            run(
                    option,
                    context -> {
                        context.getBean(LimiterFactory.class)
                                .build("closing", 1, 1, 60)
                                .tryAcquire();
                        Eventually.that(() -> assertThat(subscribers()).isOne());
                    },
                    // On purpose, which is not logged.
                    "limiter.namespace=");
            AsyncLog.flush(Duration.ofMinutes(1));
            assertThat(ours.all()).isEmpty();
            assertThat(springs.all()).isEmpty();
        }
        Eventually.that(() -> assertThat(subscribers()).isZero());
        Eventually.that(() -> assertThat(threads()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {POOLED, NOT_POOLED, JEDIS})
    void a_context_that_starts_again_sees_changes(String option) {
        run(
                option,
                context -> run(option, other -> {
                    Eventually.that(() -> assertThat(subscribers()).isEqualTo(2));
                    LiveLimits live = context.getBean(LiveLimits.class);
                    LiveLimits others = other.getBean(LiveLimits.class);
                    context.stop();
                    Eventually.that(() -> assertThat(subscribers()).isOne());
                    others.put("first", LiveSettings.NONE.withEnforce(false), NOTE, 0);
                    context.start();
                    Eventually.that(() -> assertThat(live.get("first")).isPresent());
                    Eventually.that(() -> assertThat(subscribers()).isEqualTo(2));
                    others.put("second", LiveSettings.NONE.withEnforce(false), NOTE, 0);
                    Eventually.that(() -> assertThat(live.get("second")).isPresent());
                }));
    }

    @Test
    void applications_share_live_limits_and_permits_only_in_one_namespace() {
        String long101 = "n".repeat(101);
        run("spring.application.name=shop", shop -> {
            shop.getBean(LiveLimits.class).put("search", LiveSettings.NONE.withEnforce(false), NOTE, 0);
            assertThat(connection.sync().exists("{limiter:live:shop}:limits")).isOne();
            run(
                    "limiter.namespace=shop",
                    named -> Eventually.that(
                            () -> assertThat(named.getBean(LiveLimits.class).get("search"))
                                    .isPresent()));
            run("spring.application.name=bank", bank -> {
                LiveLimits live = bank.getBean(LiveLimits.class);
                live.put("search", LiveSettings.NONE.withEnforce(true), NOTE, 0);
                assertThat(live.history()).hasSize(1);
            });
        });
        run(
                "spring.application.name=" + long101,
                context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .hasMessage("limiter.namespace must have at most 100 characters, and is '" + long101
                                + "', from spring.application.name: set a shorter one"));
    }

    /** Beans are destroyed when everything with a lifecycle has stopped. */
    @ParameterizedTest
    @ValueSource(strings = {POOLED, NOT_POOLED, JEDIS, "limiter.engine=lock"})
    void redis_decides_for_beans_that_are_destroyed_and_releases_their_leases(String option) {
        assertThat(lastDecision(option).source()).isEqualTo(Decision.Source.BACKEND);
        // The only permit was released, or this would fail.
        assertThat(lastDecision(option).source()).isEqualTo(Decision.Source.BACKEND);
        Eventually.that(() -> assertThat(connection.sync().clientList().lines()).hasSize(1));
    }

    private static Decision lastDecision(String option) {
        AtomicReference<Decision> last = new AtomicReference<>();
        application(option)
                .withBean(Ending.class, last)
                .run(context -> context.getBean(Ending.class).begin());
        return last.get();
    }

    /** Holds a lease until it is destroyed. */
    static final class Ending implements DisposableBean {

        private final LimiterFactory limiters;
        private final AtomicReference<Decision> last;
        private Lease lease;

        Ending(LimiterFactory limiters, AtomicReference<Decision> last) {
            this.limiters = limiters;
            this.last = last;
        }

        void begin() {
            lease = limiters.build("jobs", ConcurrencyLimit.of(1)).tryAcquire().orElseThrow();
        }

        @Override
        public void destroy() {
            lease.close();
            last.set(limiters.build("flush", 1, 1, 60).decide(1));
        }
    }

    private static long subscribers() {
        return connection.sync().pubsubNumsub(CHANNEL).get(CHANNEL);
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.startsWith("limiter-live"))
                .toList();
    }
}
