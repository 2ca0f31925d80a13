package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.FlakyEngine;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The lines that an outage writes to the log, with many leases held. */
@Tag("threads")
class LeaseLogTest {

    private static final int LEASES = 400;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TestClock clock = new TestClock();
    private final FlakyEngine backend = new FlakyEngine(new SteppingEngine(clock::micros));
    private final Leases leases =
            new Leases(backend, new HandSleeper(clock), new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
    private final EngineConcurrencyLimiter limiter =
            new EngineConcurrencyLimiter(new KeySpace("", "logged", ""), ConcurrencyLimit.of(LEASES), backend, leases);
    private final List<Lease> held = new ArrayList<>();

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.limiter.internal.lease");
    private final Lines lines = new Lines();

    @BeforeEach
    void hold() {
        for (int i = 0; i < LEASES; i++) {
            held.add(limiter.acquire(1, Duration.ZERO));
        }
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void detach() {
        leases.close();
        logger.setLevel(null);
        logger.setAdditive(true);
        logger.detachAppender(lines);
    }

    @Test
    void failed_releases_are_one_line_a_minute_without_a_stack_trace() {
        backend.failing = true;
        held.forEach(Lease::close);
        lines.awaitOne("could not be released: no decision for key '{logged}'");
        clock.advance(MINUTE);
        acquireAnother().close();
        lines.awaitOne((LEASES - 1) + " more");
    }

    @Test
    void failed_renewals_are_one_line_a_minute_without_a_stack_trace() {
        backend.failing = true;
        clock.advance(Duration.ofSeconds(10));
        leases.renewer().renewDue();
        leases.renewer().renewDue();
        lines.awaitOne("could not be renewed", (LEASES - 1) + " more");
    }

    @Test
    void lost_leases_are_one_line_a_minute() {
        clock.advance(MINUTE);
        leases.renewer().findLost();
        lines.awaitOne("is lost: it could not be renewed in time", (LEASES - 1) + " more");
    }

    @Test
    void leases_of_a_reset_key_are_one_line() {
        limiter.reset();
        lines.awaitOne("is lost: its key was reset", (LEASES - 1) + " more");
    }

    @Test
    void exceptions_of_actions_are_one_line_with_a_stack_trace() {
        held.forEach(lease -> lease.onLost(() -> {
            throw new IllegalStateException("of an action");
        }));
        clock.advance(MINUTE);
        leases.renewer().findLost();
        Awaitility.await().until(() -> lines.all.size() >= 2);
        assertThat(lines.all).hasSize(2).anySatisfy(line -> {
            assertThat(line.getFormattedMessage()).contains("onLost action");
            assertThat(line.getThrowableProxy().getMessage()).isEqualTo("of an action");
        });
    }

    @Test
    void the_stack_trace_is_logged_at_debug() {
        logger.setLevel(Level.DEBUG);
        backend.failing = true;
        held.get(0).close();
        Awaitility.await().until(() -> lines.all.size() == 1);
        assertThat(lines.all.get(0).getThrowableProxy()).isNotNull();
    }

    private Lease acquireAnother() {
        backend.failing = false;
        Lease lease = limiter.on("later").acquire(1, Duration.ZERO);
        backend.failing = true;
        return lease;
    }

    private static final class Lines extends AppenderBase<ILoggingEvent> {

        private final List<ILoggingEvent> all = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            // The limiters of the test before are closed in the background.
            if (!event.getFormattedMessage().contains("the limiters were closed")) {
                all.add(event);
            }
        }

        /** Waits for a line, which must be the only one since the last call, and short. */
        void awaitOne(String... parts) {
            Awaitility.await().until(() -> !all.isEmpty());
            assertThat(all).hasSize(1);
            assertThat(all.get(0).getFormattedMessage()).contains(parts);
            assertThat(all.get(0).getThrowableProxy()).isNull();
            assertThat(all.get(0).getThreadName()).startsWith("limiter-log");
            all.clear();
        }
    }
}
