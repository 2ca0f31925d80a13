package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.base.Ticker;
import io.limiter.FailingLimiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterListener;
import io.limiter.LimiterRecoveredEvent;
import io.limiter.LimiterTotals;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PermanentFailuresTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> notified = new CopyOnWriteArrayList<>();
    private final ListenerNotifier listeners = new ListenerNotifier(List.of(new LimiterListener() {
        @Override
        public void onLimiterFailing(LimiterFailingEvent event) {
            notified.add(
                    event.limiter().limiter() + " " + event.limiter().failure().problem());
        }

        @Override
        public void onLimiterRecovered(LimiterRecoveredEvent event) {
            notified.add(event.limiter().limiter() + " recovered");
        }
    }));
    private final Logger logger = (Logger) LoggerFactory.getLogger(PermanentFailures.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long nanos;
    private final PermanentFailures failures = new PermanentFailures(listeners, new Ticker() {
        @Override
        public long read() {
            return nanos;
        }
    });

    @BeforeEach
    void listen() {
        // What tests before this one have logged.
        AsyncLog.flush(Duration.ofMinutes(1));
        lines.start();
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() throws InterruptedException {
        AsyncLog.flush(Duration.ofMinutes(1));
        listeners.close();
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    @Test
    void a_limiter_fails_until_its_key_is_decided_again() {
        failures.failed(foreign("rateLimit:{sms:a}"));
        failures.failed(foreign("rateLimit:{sms:a}"));
        failures.decided("rateLimit:{sms:b}");
        failures.decided("rateLimit:{other:a}");
        assertThat(failures.all()).singleElement().satisfies(failing -> {
            assertThat(failing.limiter()).isEqualTo("rateLimit:sms");
            assertThat(failing.failure().key()).isEqualTo("rateLimit:{sms:a}");
        });
        failures.decided("rateLimit:{sms:a}");
        assertThat(failures.all()).isEmpty();
        assertNotified("rateLimit:sms WRONGTYPE", "rateLimit:sms recovered");
    }

    @Test
    void a_failed_key_without_requests_counts_for_a_minute() {
        failures.failed(foreign("rateLimit:{sms:gone}"));
        advance(MINUTE.minusMillis(1));
        failures.decided("rateLimit:{sms:b}");
        assertThat(failures.all()).hasSize(1);
        advance(Duration.ofSeconds(2));
        assertThat(failures.all()).as("no key was decided").hasSize(1);
        failures.decided("rateLimit:{sms:b}");
        assertThat(failures.all()).isEmpty();
    }

    @Test
    void failures_of_a_limiter_are_reported_once_a_minute() {
        for (int second = 0; second < 150; second++) {
            failures.failed(foreign("rateLimit:{sms:a}"));
            failures.failed(foreign("countLimit:{login}"));
            failures.decided("countLimit:{login}");
            advance(Duration.ofSeconds(1));
        }
        Eventually.that(() -> assertThat(lines.list)
                .filteredOn(
                        line -> line.getFormattedMessage().startsWith("Limiter rateLimit:sms has been failing since "))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line.getThrowableProxy()).isNull())
                .element(1)
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("delete the key: DEL it")
                        .contains("59 more failures")));
        Eventually.that(() -> assertThat(notified)
                .containsExactly(
                        "rateLimit:sms WRONGTYPE",
                        "countLimit:login WRONGTYPE",
                        "countLimit:login recovered",
                        "countLimit:login WRONGTYPE",
                        "countLimit:login recovered",
                        "countLimit:login WRONGTYPE",
                        "countLimit:login recovered"));
    }

    @Test
    void the_name_of_a_limiter_is_read_from_its_key() {
        String key = new KeySpace("p:", "a:b {ü}", ":log").of("k");
        assertThat(KeySpace.limiterOf(key)).isEqualTo("p:a:b {ü}");
        assertThat(KeySpace.limiterOf(new KeySpace("", "n", "").own())).isEqualTo("n");
        assertThat(KeySpace.limiterOf(
                        new KeySpace("", "p:", "a:b {ü}", ":log", true, () -> HashTags.NONE).of(List.of("s:t", "k"))))
                .isEqualTo("p:a:b {ü}");
        assertThat(KeySpace.limiterOf("k")).isEqualTo("k");
    }

    @Test
    void the_number_of_limiters_and_keys_is_bounded() {
        for (int i = 0; i < 3 * PermanentFailures.MAX_LIMITERS; i++) {
            failures.failed(foreign("p:{n" + i + ":k}"));
        }
        assertThat(failures.all())
                .hasSize(PermanentFailures.MAX_LIMITERS + 1)
                .anyMatch(failing -> failing.limiter().equals(LimiterTotals.OTHER));
        for (int i = 0; i < 3 * PermanentFailures.MAX_LIMITERS; i++) {
            failures.decided("p:{n" + i + ":k}");
        }
        assertThat(failures.all()).isEmpty();
        failures.failed(foreign("p:{late:k}"));
        assertThat(failures.all())
                .as("those that have recovered make room")
                .extracting(FailingLimiter::limiter)
                .containsExactly("p:late");
        failures.decided("p:{late:k}");
        for (int i = 0; i < 100; i++) {
            advance(Duration.ofMillis(1));
            failures.failed(foreign("p:{n0:k" + i + "}"));
        }
        for (int i = 99; i > 100 - PermanentFailures.MAX_KEYS; i--) {
            failures.decided("p:{n0:k" + i + "}");
        }
        assertThat(failures.all()).hasSize(1);
        failures.decided("p:{n0:k" + (100 - PermanentFailures.MAX_KEYS) + "}");
        assertThat(failures.all()).isEmpty();
    }

    @Test
    void a_probe_is_no_limiter() {
        failures.failed(foreign("limiter:probe:{limiter}"));
        assertThat(failures.all()).isEmpty();
    }

    private void assertNotified(String... expected) {
        Eventually.that(() -> assertThat(notified).containsExactly(expected));
    }

    private void advance(Duration time) {
        nanos += time.toNanos();
    }

    private static LimiterBackendException foreign(String key) {
        return new LimiterBackendException(
                LimiterBackendException.Kind.PERMANENT,
                "WRONGTYPE",
                key,
                "not ours; delete the key: DEL it",
                "delete the key",
                null);
    }
}
