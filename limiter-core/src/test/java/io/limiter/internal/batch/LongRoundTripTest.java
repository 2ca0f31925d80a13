package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.testing.HandEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When requests are sent beside a call in flight because of the time that calls take. */
@Tag("threads")
class LongRoundTripTest {

    private static final LimiterBackendException RESET = BackendFailures.ambiguous("k", "connection reset", null);

    private final HandEngine backend = new HandEngine();
    private final TestClock clock = new TestClock();
    private Guard guard = Guards.withClock(Duration.ofSeconds(1), clock);

    @AfterEach
    void close() {
        guard.close();
    }

    @Test
    void requests_wait_for_a_reply_that_takes_no_longer_than_the_last() {
        Lane lane = laneWithRoundTrip(100_000);
        add(lane, 2);
        pass(100_000);
        assertThat(lane.endOverdue(guard.deadlines().now())).isTrue();
        assertThat(backend.sent()).hasSize(2);
    }

    @Test
    void they_are_sent_next_to_one_that_takes_longer() {
        Lane lane = laneWithRoundTrip(100_000);
        add(lane, 1);
        pass(100_000);
        add(lane, 15);
        pass(1);
        assertThat(lane.endOverdue(guard.deadlines().now())).isTrue();
        assertThat(backend.sent()).hasSize(3);
        assertThat(backend.call(2).requests()).hasSize(15);
        lane.endOverdue(guard.deadlines().now());
        assertThat(backend.sent()).as("nothing is queued any more").hasSize(3);
    }

    @Test
    void before_the_first_reply_no_call_takes_longer_than_others() {
        Lane lane = laneWithRoundTrips(0, 0, 1);
        add(lane, 2);
        pass(100_000);
        lane.endOverdue(guard.deadlines().now());
        assertThat(backend.sent()).hasSize(1);
    }

    @Test
    void they_are_sent_next_to_any_if_the_next_check_of_deadlines_would_be_too_late() {
        // Of 4 ms, 3 are for the checks, of which there is one in each.
        guard.close();
        guard = Guards.withClock(Duration.ofMillis(4), clock);
        Lane lane = laneWithRoundTrip(500);
        add(lane, 2);
        pass(499);
        lane.endOverdue(guard.deadlines().now());
        assertThat(backend.sent()).hasSize(2);
        pass(1);
        lane.endOverdue(guard.deadlines().now());
        assertThat(backend.sent()).hasSize(3);
    }

    @Test
    void over_a_network_requests_do_not_wait_for_the_reply_to_another_call() {
        Lane lane = laneWithRoundTrips(300, 2, 2);
        add(lane, 9);
        assertThat(backend.sent()).as("two calls in flight").hasSize(4);
        pass(300);
        backend.call(2).answer();
        assertThat(backend.sent()).hasSize(5);
        assertThat(backend.call(4).requests()).as("all that have waited").hasSize(7);
    }

    @Test
    void after_a_pause_a_round_trip_is_not_measured_by_a_clock_that_stands_still() {
        pass(1_000_000);
        Lane lane = laneWithRoundTrips(300, 1, 2);
        guard.deadlines().ensureChecking();
        roundTrips(lane, 300, 2);
        add(lane, 9);
        assertThat(backend.sent()).as("two calls in flight").hasSize(5);
    }

    @Test
    void a_call_that_decided_nothing_is_no_round_trip() {
        Lane lane = laneWithRoundTrips(300, 1, 2);
        backend.onStart = call -> {
            throw new LimiterBackendException(Kind.PERMANENT, "login", "k", "not sent", null, null);
        };
        add(lane, 1);
        backend.onStart = call -> {};
        roundTrips(lane, 300, 2);
        add(lane, 9);
        assertThat(backend.sent()).as("two calls in flight").hasSize(6);
    }

    @Test
    void requests_share_calls_while_a_busy_redis_answers_late() {
        Lane lane = laneWithRoundTrips(300, 2, 2);
        add(lane, 1);
        pass(451);
        backend.call(2).answer();
        add(lane, 9);
        assertThat(backend.sent()).hasSize(4);
    }

    @Test
    void a_connection_that_breaks_is_one_failure_of_all_calls_in_flight() {
        Lane lane = laneWithRoundTrips(1000, 8, 2);
        add(lane, 8);
        assertThat(backend.sent()).hasSize(16);
        pass(500);
        for (int call = 8; call < 16; call++) {
            backend.call(call).fail(RESET);
        }
        assertThat(guard.state().up()).isTrue();
        for (int i = 1; i < 5; i++) {
            assertThat(guard.state().up()).isTrue();
            add(lane, 1);
            pass(1);
            backend.call(15 + i).fail(RESET);
        }
        assertThat(guard.state().up()).as("after five, one after the other").isFalse();
    }

    @Test
    void a_failure_that_the_circuit_breaker_does_not_count_hides_no_other() {
        Lane lane = laneWithRoundTrips(1000, 8, 2);
        for (int call = 8; call < 18; call += 2) {
            assertThat(guard.state().up()).isTrue();
            add(lane, 2);
            pass(1);
            backend.call(call).fail(BackendFailures.notExecuted("k", "planted"));
            backend.call(call + 1).fail(RESET);
        }
        assertThat(guard.state().up()).isFalse();
    }

    @Test
    void in_a_cluster_requests_of_a_lane_share_calls_however_far_redis_is() {
        Lane lane = laneWithRoundTrips(300, 2, 1);
        add(lane, 9);
        assertThat(backend.sent()).hasSize(3);
    }

    private Lane laneWithRoundTrip(int micros) {
        return laneWithRoundTrips(micros, 1, 1);
    }

    private Lane laneWithRoundTrips(int micros, int times, int maxCalls) {
        Lane lane = new Lane(
                backend,
                GroupCommit.Settings.DEFAULT.withMaxCalls(maxCalls),
                new Yielding(Duration.ZERO),
                Runnable::run,
                guard,
                added -> {});
        roundTrips(lane, micros, times);
        return lane;
    }

    private void roundTrips(Lane lane, int micros, int times) {
        for (int i = 0; i < times; i++) {
            add(lane, 1);
            pass(micros);
            backend.call(backend.calls.size() - 1).answer();
        }
    }

    private void add(Lane lane, int requests) {
        for (int i = 0; i < requests; i++) {
            Ask request = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), null);
            guard.begin(request);
            lane.add(request);
        }
    }

    private void pass(int micros) {
        clock.advance(Duration.of(micros, ChronoUnit.MICROS));
    }
}
