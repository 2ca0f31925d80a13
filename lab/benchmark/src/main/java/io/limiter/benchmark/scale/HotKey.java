package io.limiter.benchmark.scale;

import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.scale.Totals.By;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.batch.RoundTrips;
import io.limiter.step.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One key in one instance: rejection cache, circuit breaker, group commit and local fallback, in that order. */
final class HotKey {

    private static final long DECISION_TIMEOUT_NANOS = 100_000_000;
    private static final long CHECK_NANOS = DECISION_TIMEOUT_NANOS / 20;
    private static final GroupCommit.Settings SETTINGS = GroupCommit.Settings.DEFAULT;

    private static final class Waiting {
        final long sinceNanos;
        boolean answered;
        boolean granted;

        Waiting(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    private final Timeline timeline;
    private final Shard shard;
    private final Bucket shared;
    private final Bucket own;
    private final Breaker breaker;
    private final Totals totals;
    private final Scenario scenario;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final ArrayDeque<Long> callsInFlight = new ArrayDeque<>();
    private final RoundTrips roundTrips = new RoundTrips();
    private boolean checking;
    private long rejectedUntilMicros;

    HotKey(
            Timeline timeline,
            Shard shard,
            Bucket shared,
            TokenBucket limit,
            Breaker breaker,
            Totals totals,
            Scenario scenario) {
        this.timeline = timeline;
        this.shard = shard;
        this.shared = shared;
        this.own = new Bucket(limit);
        this.breaker = breaker;
        this.totals = totals;
        this.scenario = scenario;
    }

    void request() {
        long now = timeline.nowNanos();
        if (now / 1_000 < rejectedUntilMicros) {
            totals.decidedAtOnce(By.CACHED);
        } else if (breaker.isOpen()) {
            decideLocally(0);
        } else {
            queue.add(new Waiting(now));
            if (!scenario.groupCommit || mayStart()) {
                send();
            } else {
                checkLater();
            }
        }
    }

    /** As of a batch queue. In a Cluster each has one call in flight. */
    private boolean mayStart() {
        int inFlight = callsInFlight.size();
        int maxCalls = scenario.shards == 1 ? SETTINGS.maxCalls() : 1;
        return inFlight < maxCalls && queue.size() > inFlight * SETTINGS.minQueuedForAnother()
                || !queue.isEmpty() && scenario.networkCalls && maxCalls > 1 && inFlight < roundTrips.callsInFlight();
    }

    private void checkLater() {
        if (!checking) {
            checking = true;
            timeline.at(timeline.nowNanos() + CHECK_NANOS, this::check);
        }
    }

    /** Sends the requests that wait in a further call if their reply would come too late otherwise. */
    private void check() {
        checking = false;
        if (queue.isEmpty()) {
            return;
        }
        long now = timeline.nowNanos();
        long oldest = callsInFlight.isEmpty() ? 0 : now - callsInFlight.getFirst();
        long expected = Math.max(roundTrips.longestNanos(), oldest);
        long spare = DECISION_TIMEOUT_NANOS - 3 * CHECK_NANOS - expected;
        if (now - queue.getFirst().sinceNanos
                >= Math.max(spare - expected / 2, Math.min(spare, DECISION_TIMEOUT_NANOS / 5))) {
            send();
        } else {
            checkLater();
        }
    }

    private void send() {
        List<Waiting> batch = new ArrayList<>(queue);
        queue.clear();
        callsInFlight.add(timeline.nowNanos());
        timeline.at(batch.get(0).sinceNanos + DECISION_TIMEOUT_NANOS, () -> expire(batch));
        shard.call(batch.size(), 1, serverMicros -> decide(batch, serverMicros), () -> answer(batch));
    }

    private void decide(List<Waiting> batch, long serverMicros) {
        for (Waiting each : batch) {
            Verdict decision = shared.take(1, serverMicros);
            each.granted = decision.isGranted();
            if (decision.isGranted()) {
                totals.taken(serverMicros);
            } else if (scenario.rejectionCache) {
                rejectedUntilMicros = serverMicros + decision.retryAfterMicros();
            }
        }
    }

    private void answer(List<Waiting> batch) {
        // Replies come in the order of the calls.
        Long since = callsInFlight.poll();
        if (since != null) {
            roundTrips.add(timeline.nowNanos() - since, timeline.nowNanos());
        }
        if (mayStart()) {
            send();
        }
        for (Waiting each : batch) {
            if (!each.answered) {
                each.answered = true;
                totals.decided(By.BACKEND, timeline.nowNanos() - each.sinceNanos);
                if (each.granted) {
                    totals.granted();
                }
                breaker.outcome(false);
            }
        }
    }

    private void expire(List<Waiting> batch) {
        boolean expired = false;
        for (Waiting each : batch) {
            if (!each.answered) {
                each.answered = true;
                expired = true;
                breaker.outcome(true);
                decideLocally(timeline.nowNanos() - each.sinceNanos);
            }
        }
        if (expired && breaker.isOpen()) {
            callsInFlight.clear();
            queue.forEach(each -> decideLocally(timeline.nowNanos() - each.sinceNanos));
            queue.clear();
        } else if (expired && !queue.isEmpty()) {
            send();
        }
    }

    private void decideLocally(long waitedNanos) {
        totals.decided(By.LOCAL, waitedNanos);
        if (own.take(1, timeline.nowNanos() / 1_000).isGranted()) {
            totals.taken(timeline.nowNanos() / 1_000);
            totals.granted();
        }
    }
}
