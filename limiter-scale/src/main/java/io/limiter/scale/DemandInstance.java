package io.limiter.scale;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.scale.Totals.By;
import org.jspecify.annotations.Nullable;

/**
 * An instance that prefetches permits of one key by demand, grants from them, and rejects until it may call again: as
 * {@code io.limiter.internal.prefetch.PrefetchedKey}, except that requests wait for a call that is under way.
 */
final class DemandInstance {

    private static final double PAUSE = 0.25;
    private static final double PAUSES = 1.2;
    private static final double USABLE_PAUSES = 2.5;
    private static final double MOST_GROWTH = 4;
    private static final double LOW = 0.25;
    private static final double RECENT = 4;

    private final Timeline timeline;
    private final Shard shard;
    private final Bucket key;
    private final Totals totals;
    private final double permitsPerCall;
    private @Nullable Block current;
    private @Nullable Block next;
    private int requests;
    private long calledNanos;
    private long pauseNanos;
    private long pausedUntilNanos;
    private boolean calling;
    private int waiting;
    private long firstWaitingNanos;
    private long generation;

    DemandInstance(Timeline timeline, Shard shard, Bucket key, double permitsPerSecond, Totals totals) {
        this.timeline = timeline;
        this.shard = shard;
        this.key = key;
        this.totals = totals;
        this.permitsPerCall = permitsPerSecond / DemandFleet.CALLS_PER_SECOND;
    }

    void request() {
        requests++;
        long now = timeline.nowNanos();
        Block block = take(now);
        if (block != null) {
            totals.decidedAtOnce(By.PREFETCHED);
            grant();
            boolean nearEnd = now - calledNanos >= lasts() || block.left <= block.decision.limit() * LOW;
            if (nearEnd && !calling && next == null && now >= pausedUntilNanos) {
                call();
            }
        } else if (calling) {
            await(now);
        } else if (now < pausedUntilNanos) {
            totals.decidedAtOnce(By.CACHED);
        } else {
            await(now);
            call();
        }
    }

    private @Nullable Block take(long now) {
        expire(now);
        while (current != null) {
            if (current.left > 0) {
                current.left--;
                return current;
            }
            current = next;
            next = null;
        }
        return null;
    }

    /** Drops what has expired, and returns it if there is nothing else. */
    private void expire(long now) {
        while (current != null && now >= current.untilNanos) {
            Block over = current;
            current = next;
            next = null;
            if (over.left > 0 && current == null) {
                shard.call(1, 1, micros -> key.decide(Request.cancel(over.left, over.decision), micros), () -> {});
            }
        }
    }

    /** The process is killed with its permits, and another one takes its place. */
    void crash() {
        generation++;
        current = null;
        next = null;
        requests = 0;
        waiting = 0;
        calling = false;
        calledNanos = timeline.nowNanos();
        pauseNanos = 0;
        pausedUntilNanos = 0;
    }

    private void await(long now) {
        if (waiting++ == 0) {
            firstWaitingNanos = now;
        }
    }

    private double lasts() {
        return PAUSES * Math.max(PAUSE * DemandFleet.PREFETCH_MICROS * 1_000, pauseNanos);
    }

    private void call() {
        calling = true;
        long sent = timeline.nowNanos();
        long caller = generation;
        long since = Math.max(1, sent - calledNanos);
        double expected = since > RECENT * lasts()
                ? Math.max(requests, permitsPerCall)
                : Math.min(requests * lasts() / since, MOST_GROWTH * requests);
        double spare = 2 * Math.sqrt(expected);
        int wanted = (int) Math.max(1, Math.ceil(expected + spare) - (current == null ? 0 : current.left));
        calledNanos = sent;
        requests = 0;
        Request request = Request.prefetch(wanted, DemandFleet.PREFETCH_MICROS, DemandFleet.CALL_MICROS);
        Decision[] given = new Decision[1];
        shard.call(1, 1, micros -> given[0] = key.decide(request, micros), () -> {
            if (caller == generation) {
                receive(given[0], sent);
            }
        });
    }

    private void receive(Decision given, long sentNanos) {
        calling = false;
        pauseNanos = given.retryAfterMicros() * 1_000;
        pausedUntilNanos = sentNanos + pauseNanos;
        if (given.granted()) {
            add(new Block(
                    given,
                    sentNanos + Math.max(DemandFleet.PREFETCH_MICROS * 1_000, (long) (USABLE_PAUSES * pauseNanos))));
        }
        long now = timeline.nowNanos();
        long waited = now - firstWaitingNanos;
        for (; waiting > 0; waiting--) {
            totals.decided(By.BACKEND, waited);
            if (take(now) != null) {
                grant();
            }
        }
    }

    private void add(Block block) {
        if (current == null) {
            current = block;
        } else {
            next = block;
        }
        long caller = generation;
        timeline.at(block.untilNanos, () -> {
            if (caller == generation) {
                expire(timeline.nowNanos());
            }
        });
    }

    private void grant() {
        totals.granted();
        totals.taken(timeline.nowNanos() / 1_000);
    }

    private static final class Block {

        private final Decision decision;
        private final long untilNanos;
        private int left;

        Block(Decision decision, long untilNanos) {
            this.decision = decision;
            this.untilNanos = untilNanos;
            this.left = (int) decision.limit();
        }
    }
}
