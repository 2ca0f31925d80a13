package io.limiter.benchmark.scale;

import io.limiter.benchmark.scale.Totals.By;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Requests of one instance for keys that are nearly all different: group commit, and the circuit breaker in front of it. */
final class WideLane {

    private static final long DECISION_TIMEOUT_NANOS = 100_000_000;
    private static final int SECOND_CALL_FROM = 4;

    private final Timeline timeline;
    private final Shard shard;
    private final Breaker breaker;
    private final Totals totals;
    private final ArrayDeque<Long> queue = new ArrayDeque<>();
    private int callsInFlight;

    WideLane(Timeline timeline, Shard shard, Breaker breaker, Totals totals) {
        this.timeline = timeline;
        this.shard = shard;
        this.breaker = breaker;
        this.totals = totals;
    }

    boolean isIdle() {
        return callsInFlight == 0;
    }

    void request() {
        queue.add(timeline.nowNanos());
        if (callsInFlight == 0 || callsInFlight == 1 && queue.size() >= SECOND_CALL_FROM) {
            send();
        }
    }

    private void send() {
        List<Long> batch = new ArrayList<>(queue);
        queue.clear();
        callsInFlight++;
        boolean[] answered = {false};
        shard.call(batch.size(), batch.size(), serverMicros -> {}, () -> {
            if (!answered[0]) {
                answered[0] = true;
                callsInFlight--;
                for (long since : batch) {
                    totals.decided(By.BACKEND, timeline.nowNanos() - since);
                    breaker.outcome(false);
                }
                if (!queue.isEmpty()) {
                    send();
                }
            }
        });
        timeline.at(batch.get(0) + DECISION_TIMEOUT_NANOS, () -> {
            if (!answered[0]) {
                answered[0] = true;
                callsInFlight--;
                for (long since : batch) {
                    totals.decided(By.LOCAL, timeline.nowNanos() - since);
                    breaker.outcome(true);
                }
                if (!queue.isEmpty()) {
                    send();
                }
            }
        });
    }
}
