package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.testing.HandEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Requests that wait for the reply to another call are sent beside it before that is too late. */
class LongRoundTripTest {

    private final HandEngine backend = new HandEngine();
    private final TestClock clock = new TestClock();

    @Test
    void requests_wait_for_a_reply_that_takes_no_longer_than_the_last() {
        try (Guard guard = Guards.withClock(Duration.ofSeconds(1), clock)) {
            Lane lane = laneWithRoundTrip(guard, 100_000);
            add(lane, guard, 2);
            pass(100_000);
            assertThat(lane.endOverdue(guard.now())).isTrue();
            assertThat(backend.sent()).hasSize(2);
        }
    }

    @Test
    void they_are_sent_beside_one_that_takes_longer() {
        try (Guard guard = Guards.withClock(Duration.ofSeconds(1), clock)) {
            Lane lane = laneWithRoundTrip(guard, 100_000);
            add(lane, guard, 1);
            pass(100_000);
            add(lane, guard, 15);
            pass(1);
            assertThat(lane.endOverdue(guard.now())).isTrue();
            assertThat(backend.sent()).hasSize(3);
            assertThat(backend.call(2).requests()).hasSize(15);
            lane.endOverdue(guard.now());
            assertThat(backend.sent()).as("nothing is queued any more").hasSize(3);
        }
    }

    @Test
    void before_the_first_reply_no_call_takes_longer_than_others() {
        try (Guard guard = Guards.withClock(Duration.ofSeconds(1), clock)) {
            Lane lane = new Lane(backend, GroupCommit.Settings.DEFAULT, 1, Runnable::run, guard);
            add(lane, guard, 2);
            pass(100_000);
            lane.endOverdue(guard.now());
            assertThat(backend.sent()).hasSize(1);
        }
    }

    @Test
    void they_are_sent_beside_any_if_the_next_check_of_deadlines_would_be_too_late() {
        // Of 4 ms, 3 are for the checks, of which there is one in each.
        try (Guard guard = Guards.withClock(Duration.ofMillis(4), clock)) {
            Lane lane = laneWithRoundTrip(guard, 500);
            add(lane, guard, 2);
            pass(499);
            lane.endOverdue(guard.now());
            assertThat(backend.sent()).hasSize(2);
            pass(1);
            lane.endOverdue(guard.now());
            assertThat(backend.sent()).hasSize(3);
        }
    }

    private Lane laneWithRoundTrip(Guard guard, int micros) {
        Lane lane = new Lane(backend, GroupCommit.Settings.DEFAULT, 1, Runnable::run, guard);
        add(lane, guard, 1);
        pass(micros);
        backend.call(0).answer();
        return lane;
    }

    private static void add(Lane lane, Guard guard, int requests) {
        for (int i = 0; i < requests; i++) {
            PendingRequest request = new PendingRequest("k", HandEngine.LIMIT, HandEngine.request(1), null);
            request.dueAt(guard.deadlineNanos());
            lane.add(request);
        }
    }

    private void pass(int micros) {
        clock.advance(Duration.of(micros, ChronoUnit.MICROS));
    }
}
