package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.PendingRequest;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LongRoundTripTest {

    private final HandEngine backend = new HandEngine();

    @Test
    void requests_wait_for_a_reply_while_there_is_time_for_it() {
        try (Guard guard = Patience.guard()) {
            Lane lane = laneWithRequests(guard);
            assertThat(lane.endOverdue(guard.now())).isTrue();
            assertThat(backend.calls).hasSize(1);
        }
    }

    @Test
    void requests_are_sent_beside_a_call_in_flight_if_the_next_check_of_deadlines_would_be_too_late() {
        // Shorter than the pause between two checks.
        try (Guard guard =
                new Guard(Duration.ofMillis(1), new Breakers(Patience.DECISION_TIMEOUT, ListenerNotifier.NONE))) {
            Lane lane = laneWithRequests(guard);
            assertThat(lane.endOverdue(guard.now() - Patience.DECISION_TIMEOUT.toNanos()))
                    .isTrue();
            assertThat(backend.calls).hasSize(2);
            assertThat(backend.call(1).requests()).hasSize(15);
            lane.endOverdue(guard.now() - Patience.DECISION_TIMEOUT.toNanos());
            assertThat(backend.calls).as("nothing is queued any more").hasSize(2);
        }
    }

    private Lane laneWithRequests(Guard guard) {
        Lane lane = new Lane(backend, GroupCommit.Settings.DEFAULT, 1, Runnable::run, guard);
        for (int i = 0; i < 16; i++) {
            PendingRequest request = new PendingRequest("k", HandEngine.LIMIT, HandEngine.request(1), null);
            request.dueAt(guard.deadlineNanos());
            lane.add(request);
        }
        assertThat(backend.calls).hasSize(1);
        return lane;
    }
}
