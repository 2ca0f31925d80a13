package io.limiter.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("the log is one for all")
class AsyncLogTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final Semaphore writing = new Semaphore(0);
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.limiter.internal.log");
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            writing.acquireUninterruptibly();
            threads.add(Thread.currentThread());
            events.add(event);
        }
    };
    private final AsyncLog log = AsyncLog.of(AsyncLogTest.class);

    @BeforeEach
    void append() {
        appender.start();
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    @AfterEach
    void appendNoMore() {
        writing.release(100_000);
        AsyncLog.flush(MINUTE);
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void a_daemon_thread_writes_lines_in_order_while_callers_go_on() {
        log.warn("one {}", 1);
        log.error("two");
        assertThat(events).isEmpty();
        assertThat(AsyncLog.flush(Duration.ofMillis(1))).isFalse();
        writing.release(2);
        assertThat(AsyncLog.flush(MINUTE)).isTrue();
        assertThat(lines()).containsExactly("WARN one 1", "ERROR two");
        assertThat(threads).allSatisfy(thread -> {
            assertThat(thread.getName()).isEqualTo("limiter-log");
            assertThat(thread.isDaemon()).isTrue();
        });
    }

    @Test
    void lines_beyond_the_queue_are_dropped_and_counted() {
        log.warn("line");
        // Once the thread has taken the first, the queue is empty.
        while (!writing.hasQueuedThreads()) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < AsyncLog.MAX_QUEUED + 3; i++) {
            log.warn("line");
        }
        writing.release(100_000);
        assertThat(AsyncLog.flush(MINUTE)).isTrue();
        assertThat(lines())
                .hasSize(1 + AsyncLog.MAX_QUEUED + 1)
                .containsOnlyOnce("WARN 3 lines were not logged, because the log is too slow for them.");
    }

    @Test
    void a_stack_trace_is_logged_at_debug_only() {
        writing.release(2);
        log.warn("failed for {}", "k", new IllegalStateException("no route"));
        AsyncLog.flush(MINUTE);
        logger.setLevel(Level.DEBUG);
        log.warn("failed for {}", "k", new IllegalStateException("no route"));
        AsyncLog.flush(MINUTE);
        assertThat(lines())
                .containsExactly("WARN failed for k (java.lang.IllegalStateException: no route)", "WARN failed for k");
        assertThat(events.get(0).getThrowableProxy()).isNull();
        assertThat(events.get(1).getThrowableProxy().getMessage()).isEqualTo("no route");
    }

    @Test
    void text_of_callers_cannot_forge_a_line_and_is_truncated() {
        writing.release(2);
        log.warn(
                "key {}!",
                "a\nb\rc\u0000d\u0085e\u2028f\u2029g\u202eh\u2066i\u200fj\u061ck\ufeffl\ud83dm \ud83d\ude00 查");
        log.warn("reason {}", "x".repeat(100_000), new IllegalStateException("a\u2028b"));
        AsyncLog.flush(MINUTE);
        assertThat(lines().get(0)).isEqualTo("WARN key a?b?c?d?e?f?g?h?i?j?k?l?m \ud83d\ude00 查!");
        assertThat(lines().get(1)).hasSizeLessThan(2100).contains("x... (98", "more characters)");
    }

    @Test
    void a_throttled_line_is_logged_once_a_minute() {
        writing.release(2);
        LogThrottle throttle = new LogThrottle();
        log.warn(throttle, "slow");
        log.warn(throttle, "slow");
        AsyncLog.flush(MINUTE);
        assertThat(lines()).containsExactly("WARN slow");
    }

    @Test
    void logging_survives_an_appender_that_throws() {
        appender.stop();
        logger.detachAppender(appender);
        AppenderBase<ILoggingEvent> throwing = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                throw new StackOverflowError("of an appender");
            }
        };
        throwing.start();
        logger.addAppender(throwing);
        try {
            log.warn("lost");
            assertThat(AsyncLog.flush(MINUTE)).isTrue();
        } finally {
            logger.detachAppender(throwing);
        }
        append();
        writing.release();
        log.warn("written");
        AsyncLog.flush(MINUTE);
        assertThat(lines()).containsExactly("WARN written");
    }

    private List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }
}
