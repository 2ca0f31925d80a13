package io.limiter.benchmark.scale;

import io.limiter.Prefetch;
import io.limiter.benchmark.scale.Totals.By;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * An instance that prefetches permits of one key by demand, grants from them, and rejects until it may call again: as
 * {@code io.limiter.internal.prefetch.PrefetchedKey}, except that requests wait for a call that is under way.
 */
final class DemandInstance implements FleetMember {

    private static final double PAUSE = 0.25;
    private static final double PAUSES = 1.2;
    private static final double MOST_GROWTH = 4;
    private static final double LOW = 0.25;
    private static final double RECENT = 4;

    private final Timeline timeline;
    private final Shard shard;
    private final Bucket key;
    private final Totals totals;
    private final Prefetch terms;
    private final long timeNanos;
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

    DemandInstance(Timeline timeline, Shard shard, Bucket key, double permitsPerSecond, Prefetch terms, Totals totals) {
        this.timeline = timeline;
        this.shard = shard;
        this.key = key;
        this.totals = totals;
        this.terms = terms;
        this.timeNanos = terms.time().toNanos();
        this.permitsPerCall = permitsPerSecond / terms.callsPerSecond();
    }

    @Override
    public void request() {
        requests++;
        long now = timeline.nowNanos();
        Block block = take(now);
        if (block != null) {
            totals.decidedAtOnce(By.PREFETCHED);
            grant();
            boolean nearEnd = now - calledNanos >= lasts() || block.left <= block.size * LOW;
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
            if (current.take(now)) {
                return current;
            }
            end(current);
        }
        return null;
    }

    /** Drops what has expired. */
    private void expire(long now) {
        while (current != null && now >= current.untilNanos) {
            end(current);
        }
    }

    /** Goes on to the next block, and returns what is unused, unless it is little and calls are few. */
    private void end(Block over) {
        current = next;
        next = null;
        int unused = over.left + over.dropped;
        boolean few = pausedUntilNanos > calledNanos && over.left == 0 && 2 * over.dropped < over.size;
        if (unused > 0 && (current == null || !few)) {
            shard.call(1, 1, micros -> key.decide(Request.cancel(unused, over.decision), micros), () -> {});
        }
    }

    /** The process is killed with its permits, and another one takes its place. */
    @Override
    public void crash() {
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
        return PAUSES * Math.max(PAUSE * timeNanos, pauseNanos);
    }

    private void call() {
        long sent = timeline.nowNanos();
        long since = Math.max(1, sent - calledNanos);
        double expected = since > RECENT * lasts()
                ? Math.max(requests, permitsPerCall)
                : Math.min(requests * lasts() / since, MOST_GROWTH * requests);
        int wanted = (int) Math.ceil(expected + 2 * Math.sqrt(expected)) - (current == null ? 0 : current.left(sent));
        if (wanted < 1) {
            return;
        }
        calling = true;
        long caller = generation;
        calledNanos = sent;
        requests = 0;
        Request request = Request.prefetch(wanted, timeNanos / 1_000, Math.max(1, 1_000_000L / terms.callsPerSecond()));
        Verdict[] given = new Verdict[1];
        shard.call(1, 1, micros -> given[0] = key.decide(request, micros), () -> {
            if (caller == generation) {
                receive(given[0], sent, given[0].limit() >= wanted);
            }
        });
    }

    private void receive(Verdict given, long sentNanos, boolean complete) {
        calling = false;
        pauseNanos = given.retryAfterMicros() * 1_000;
        pausedUntilNanos = sentNanos + pauseNanos;
        if (given.isGranted()) {
            double pause = PAUSE * timeNanos;
            double held = !complete ? pauseNanos : pauseNanos > 0 ? pauseNanos + 2 * pause : pause;
            add(new Block(given, sentNanos + timeNanos + (long) held, held));
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

        private final Verdict decision;
        private final int size;
        private final long untilNanos;
        private final double heldNanos;
        private int left;
        private int dropped;

        Block(Verdict decision, long untilNanos, double heldNanos) {
            this.decision = decision;
            this.untilNanos = untilNanos;
            this.heldNanos = heldNanos;
            this.size = (int) decision.limit();
            this.left = size;
        }

        int left(long now) {
            double most = size * (untilNanos - now) / heldNanos;
            if (left > most) {
                int kept = (int) Math.max(0, most);
                dropped += left - kept;
                left = kept;
            }
            return left;
        }

        boolean take(long now) {
            boolean taken = left(now) > 0;
            left -= taken ? 1 : 0;
            return taken;
        }
    }
}
