package io.limiter.spring.client;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The pause of one client's calls, as this JVM knows it: by responses here, and by the live ban with which another instance announces
 * its own. The latest end counts. Safe for use by many threads.
 */
final class ClientPause {

    /** How much longer it is than requested, so that it covers the responses to other calls of the same moment. */
    static final Duration MARGIN = Duration.ofSeconds(1);

    /** The part of the pause by which its end differs between instances. */
    private static final int JITTER_PART = 10;

    private static final long MOST_JITTER = Duration.ofSeconds(10).toNanos();

    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final long origin;

    // All in nanoseconds since the origin, and guarded by the monitor of this.
    private long ownEnd; // by responses here
    private long banEnd; // by the ban of another
    private long jitter;
    private double share; // of the longest jitter
    /** The server time at which the newest ban was stored that is known or has ended. A later one can have a lower version. */
    private Instant banSince = Instant.MIN;

    ClientPause(LongSupplier nanoTime, RandomGenerator random) {
        this.nanoTime = nanoTime;
        this.random = random;
        this.origin = nanoTime.getAsLong();
    }

    private long now() {
        return nanoTime.getAsLong() - origin;
    }

    /** @return whether it is longer than it was, and other instances must know */
    synchronized boolean prolong(Duration requested) {
        long now = now();
        boolean longer = now + requested.toNanos() > end();
        Duration lasts = longer ? requested.plus(MARGIN) : requested;
        spread(now, lasts);
        ownEnd = Math.max(ownEnd, now + lasts.toNanos());
        return longer;
    }

    private long end() {
        return Math.max(ownEnd, banEnd);
    }

    private void spread(long now, Duration lasts) {
        if (now >= end() + jitter) {
            share = random.nextDouble();
            jitter = 0;
        }
        jitter = Math.max(jitter, (long) (share * Math.min(lasts.toNanos() / JITTER_PART, MOST_JITTER)));
    }

    /**
     * A live ban announces it. What is known of this ban, or of a later one, stays as it is.
     *
     * @param since when it was stored, by server time
     * @param left until it ends
     */
    synchronized void banned(Instant since, Duration left) {
        if (since.isAfter(banSince)) {
            long now = now();
            spread(now, left);
            banSince = since;
            banEnd = now + left.toNanos();
        }
    }

    /** The live ban that was stored then has expired. The calls of this instance start again after the jitter. */
    synchronized void banEnded(Instant since) {
        if (!since.isBefore(banSince)) {
            banSince = since;
            banEnd = Math.min(banEnd, now());
        }
    }

    /** An operator has removed or replaced the live ban, or a test begins, at this server time. */
    synchronized void lift(Instant at) {
        banSince = at;
        ownEnd = 0;
        banEnd = 0;
        jitter = 0;
    }

    /** Whether the limiter itself rejects calls now. */
    synchronized boolean isBanned() {
        return now() < banEnd;
    }

    /** Whether the live ban lasts as long as any response has requested. */
    synchronized boolean isAnnounced() {
        return banEnd + MARGIN.toNanos() >= ownEnd;
    }

    /** What is left of it for the fleet, without the jitter. */
    synchronized Duration left() {
        return Duration.ofNanos(Math.max(0, end() - now()));
    }

    /** How long the calls of this instance pause; zero if they may be sent. */
    synchronized Duration leftHere() {
        return Duration.ofNanos(Math.max(0, end() + jitter - now()));
    }
}
