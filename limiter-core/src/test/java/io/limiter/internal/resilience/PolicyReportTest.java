package io.limiter.internal.resilience;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.step.Request;
import io.limiter.testing.FailingEngine;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PolicyReportTest {

    private static final LimiterBackendException TIMEOUT =
            new LimiterBackendException(Kind.AMBIGUOUS, Guard.TIMEOUT, "k", "there was no answer", null, null);

    private static final FixedWindow TEN = FixedWindow.of(10, Duration.ofHours(1));

    private final TestClock clock = new TestClock();
    private final LimiterCounters counters = LimiterCounters.unregistered("", "k");
    private final PolicyReport decisions = new PolicyReport(() -> List.of(counters), clock);

    private final Logger logger = (Logger) LoggerFactory.getLogger(PolicyReport.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        assertThat(AsyncLog.flush(Patience.DECISION_TIMEOUT)).isTrue();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void end() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    @Test
    void each_factory_says_once_a_minute_that_permits_stay_reserved() {
        PolicyReport otherFactory = new PolicyReport(List::of, clock);
        for (PolicyReport each : List.of(decisions, decisions, otherFactory)) {
            failover(TIMEOUT, each).cancel(outcome(true, 10, 6, 0, 0, 0), "k", TEN, 2, 2);
        }
        assertThat(lines())
                .filteredOn(line -> line.startsWith("Permits could not be returned"))
                .hasSize(2);
    }

    @Test
    void the_share_is_that_of_the_last_minute() {
        assertThat(decisions.share()).as("before any decision").isZero();
        byRedis(1_000_000);
        clock.advance(Duration.ofHours(1));
        byRedis(30);
        byPolicy(10);
        assertThat(decisions.last()).isSameAs(TIMEOUT);
        clock.advance(Duration.ofSeconds(30));
        byPolicy(30);
        byRedis(10);
        // Of the million of the hour before, those of the minute until the first failure were interpolated.
        assertThat(decisions.share()).isCloseTo(40 / 8_413.0, within(1e-3));
        clock.advance(Duration.ofSeconds(31));
        assertThat(decisions.share()).as("about 30 of the last 40").isCloseTo(0.75, within(0.1));
        clock.advance(Duration.ofSeconds(61));
        assertThat(decisions.share()).as("no decisions in the last minute").isZero();
        byRedis(1);
        assertThat(decisions.share()).isZero();
    }

    @Test
    void all_that_redis_did_not_decide_counts_however_seldom_it_is_read() {
        for (int minute = 0; minute < 200; minute++) {
            byPolicy(minute % 2 == 0 ? 3 : 1);
            clock.advance(Duration.ofSeconds(20));
        }
        assertThat(decisions.share()).isOne();
        byRedis(6);
        counters.counted(null, true, Decision.Source.OVERRIDE);
        counters.failed();
        // In the last minute: 1 + 3 + 1 by the policy, 6 by Redis, and one that failed.
        assertThat(decisions.share()).isCloseTo(6 / 12.0, within(0.1));
    }

    @Test
    void each_problem_is_logged_once_a_minute_with_its_remedy() {
        Failover failover = failover(BackendFailures.notExecuted("k", "it could not be decided: no Cluster"));
        for (int i = 0; i < 100; i++) {
            failover.decide("k", FixedWindow.of(1, Duration.ofHours(1)), Request.take(1, 0));
        }
        decisions.decides(TIMEOUT);
        decisions.decides(TIMEOUT);
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0))
                .startsWith("A failure policy decides instead of Redis (other): ")
                .contains("no Cluster", "remove the cause");
        assertThat(lines().get(1)).contains("(timeout)", "raise limiter.failure.decision-timeout");
        clock.advance(Duration.ofMinutes(1));
        decisions.decides(TIMEOUT);
        assertThat(lines()).hasSize(3);
        assertThat(lines().get(2)).contains("1 more since the last such line");
        assertThat(lines.list).allMatch(line -> line.getLevel() == Level.WARN);
    }

    @Test
    void a_permanent_failure_is_reported_with_its_limiter_and_a_closed_factory_not_at_all() {
        decisions.decides(new LimiterBackendException(Kind.PERMANENT, "NOPERM", "k", "no rights", null, null));
        Failover closed = failover(BackendFailures.closed("k"));
        assertThat(closed.start("k", FixedWindow.of(1, Duration.ofHours(1)), Request.take(1, 0)))
                .isCompletedExceptionally();
        assertThat(lines()).isEmpty();
        assertThat(decisions.last()).matches(last -> last.problem().equals("NOPERM"));
    }

    private void byRedis(int requests) {
        for (int i = 0; i < requests; i++) {
            counters.counted(null, i % 2 == 0, Decision.Source.BACKEND);
        }
    }

    private void byPolicy(int requests) {
        for (int i = 0; i < requests; i++) {
            decisions.decides(TIMEOUT);
            counters.counted(null, i % 2 == 0, i % 3 == 0 ? Decision.Source.POLICY : Decision.Source.LOCAL);
        }
    }

    private List<String> lines() {
        assertThat(AsyncLog.flush(Patience.DECISION_TIMEOUT)).isTrue();
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private Failover failover(LimiterBackendException failure) {
        return failover(failure, decisions);
    }

    private static Failover failover(LimiterBackendException failure, PolicyReport report) {
        FailingEngine failing = new FailingEngine();
        failing.failure = key -> failure;
        return new Failover(failing, FailurePolicy.LOCAL, new LocalEngine(), new Instances(), report, 1);
    }
}
