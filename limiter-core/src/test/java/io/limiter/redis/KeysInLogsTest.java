package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.ShownKey;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Keys can be addresses and names of people, and logs are kept. */
@Isolated("The levels of the loggers are those of the whole JVM.")
class KeysInLogsTest {

    private static final String CALLER = "ann-4711";

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final Logger limiter = (Logger) LoggerFactory.getLogger("io.limiter");
    private final Logger keys = (Logger) LoggerFactory.getLogger(ShownKey.LOGGER);
    private final Level ofOtherTests = keys.getLevel();
    private final Lines lines = new Lines();

    @BeforeEach
    void readEverything() {
        keys.setLevel(Level.INFO);
        lines.start();
        limiter.setAdditive(false);
        limiter.setLevel(Level.ALL);
        limiter.addAppender(lines);
    }

    @AfterEach
    void asBefore() {
        limiter.detachAppender(lines);
        limiter.setLevel(null);
        limiter.setAdditive(true);
        keys.setLevel(ofOtherTests);
    }

    @Test
    void no_line_of_an_outage_names_a_caller() {
        RedisProcess redis = resources.redis();
        try (RedisRateLimiterFactory factory = RedisFixture.builder(resources.lettuce(Resources.at(redis.port())))
                .decisionTimeout(Duration.ofMillis(100))
                .failurePolicy(FailurePolicy.THROW)
                .build()) {
            Limiter limited = factory.build("rate", TokenBucket.of(100, 10)).on(CALLER);
            assertThat(limited.tryAcquire()).isTrue();
            Lease lease = factory.build(
                            "leases", ConcurrencyLimit.of(2).withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                    .on(CALLER)
                    .acquire(1, Duration.ZERO);
            redis.stop();
            LimitSet set = LimitSet.of(
                    limited,
                    factory.build("count", FixedWindow.of(5, Duration.ofHours(1)))
                            .on(CALLER));
            for (int i = 0; i < 20; i++) {
                failsWithoutTheKey(limited::tryAcquire);
                failsWithoutTheKey(() -> set.decide(1));
            }
            lease.close();
            Eventually.that(() -> assertThat(lines.all).anyMatch(line -> line.contains("is unavailable")));
            Eventually.that(() -> assertThat(lines.all).anyMatch(line -> line.contains("could not be released")));
        }
        assertThat(lines.all).noneMatch(line -> line.contains(CALLER));
    }

    @Test
    void no_line_about_a_foreign_value_names_a_caller() {
        RedisFixture.commands().lpush("logged:{" + CALLER + "}{count}:window", new byte[] {1});
        try (RedisRateLimiterFactory factory = RedisFixture.builder(RedisFixture.connections())
                .failurePolicy(FailurePolicy.THROW)
                .build()) {
            Limiter limited = factory.with(LimiterOptions.NONE.withPrefix("logged:"))
                    .build("count", FixedWindow.of(5, Duration.ofHours(1)));
            failsWithoutTheKey(() -> limited.tryAcquire(CALLER));
            Eventually.that(() -> assertThat(lines.all).anyMatch(line -> line.contains("WRONGTYPE")));
        } finally {
            RedisFixture.commands().del("logged:{" + CALLER + "}{count}:window");
        }
        assertThat(lines.all).noneMatch(line -> line.contains(CALLER));
    }

    private static void failsWithoutTheKey(Runnable request) {
        assertThatThrownBy(request::run).isInstanceOfSatisfying(LimiterBackendException.class, e -> {
            assertThat(e.toString()).doesNotContain(CALLER);
            assertThat(e.key()).contains(CALLER);
        });
    }

    /** With the stack traces. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {

        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            all.add(event.getFormattedMessage() + ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
    }
}
