package io.limiter.scale;

import io.limiter.scale.DemandShare.Given;
import io.limiter.scale.Totals.By;

/** An instance that prefetches permits of one key by demand, grants from them, and rejects until it may ask again. */
final class DemandInstance {

    private final Timeline timeline;
    private final Shard shard;
    private final DemandShare key;
    private final Totals totals;
    private int permits;
    private int requests;
    private long usableUntilNanos;
    private long pausedUntilNanos;
    private boolean asking;
    private int waiting;
    private long firstWaitingNanos;
    private long generation;

    DemandInstance(Timeline timeline, Shard shard, DemandShare key, Totals totals) {
        this.timeline = timeline;
        this.shard = shard;
        this.key = key;
        this.totals = totals;
    }

    void request() {
        requests++;
        long now = timeline.nowNanos();
        if (permits > 0 && now < usableUntilNanos) {
            permits--;
            totals.decidedAtOnce(By.PREFETCHED);
            grant();
        } else if (asking) {
            await(now);
        } else if (now < pausedUntilNanos) {
            totals.decidedAtOnce(By.CACHED);
        } else {
            await(now);
            ask();
        }
    }

    /** The process is killed with its permits, and another one takes its place. */
    void crash() {
        generation++;
        permits = 0;
        requests = 0;
        waiting = 0;
        asking = false;
        usableUntilNanos = 0;
        pausedUntilNanos = 0;
    }

    private void await(long now) {
        if (waiting++ == 0) {
            firstWaitingNanos = now;
        }
    }

    private void ask() {
        asking = true;
        long sent = timeline.nowNanos();
        long caller = generation;
        int reported = requests;
        int unused = permits;
        requests = 0;
        permits = 0;
        Given[] given = new Given[1];
        shard.call(1, 1, micros -> given[0] = key.ask(reported, unused, micros), () -> {
            if (caller == generation) {
                receive(given[0], sent);
            }
        });
    }

    private void receive(Given given, long sentNanos) {
        asking = false;
        permits = given.permits();
        usableUntilNanos = sentNanos + given.useMicros() * 1_000;
        pausedUntilNanos = sentNanos + given.pauseMicros() * 1_000;
        long waited = timeline.nowNanos() - firstWaitingNanos;
        for (; waiting > 0; waiting--) {
            totals.decided(By.BACKEND, waited);
            if (permits > 0) {
                permits--;
                grant();
            }
        }
        if (requests > 0 || permits > 0) {
            long caller = generation;
            timeline.at(usableUntilNanos, () -> {
                if (caller == generation && !asking && timeline.nowNanos() >= usableUntilNanos) {
                    ask();
                }
            });
        }
    }

    private void grant() {
        totals.granted();
        totals.taken(timeline.nowNanos() / 1_000);
    }
}
