package io.limiter.algorithm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of a bucket that are not in every one. Not safe for use by several threads. */
public final class TokenBucketBuilder {

    private final double permitsPerSecond;
    private final double burstSeconds;
    private final @Nullable WarmUp warmUp;
    private WhoWaits whoWaits;
    private boolean startsFull = true;
    private Duration timeout = Duration.ZERO;
    private Duration maxWait = TokenBucket.DEFAULT_MAX_WAIT;
    private Duration expire = TokenBucket.DEFAULT_EXPIRE;
    private @Nullable LeaseTerms lease;

    TokenBucketBuilder(double permitsPerSecond, double burstSeconds, @Nullable WarmUp warmUp, WhoWaits whoWaits) {
        this.permitsPerSecond = permitsPerSecond;
        this.burstSeconds = burstSeconds;
        this.warmUp = warmUp;
        this.whoWaits = whoWaits;
    }

    /** Who pays for permits that do not exist yet. Default: the caller; with a warm-up the next one, always. */
    public TokenBucketBuilder whoWaits(WhoWaits newWhoWaits) {
        this.whoWaits = newWhoWaits;
        return this;
    }

    /** Whether a new bucket holds all its permits. Default true; with a warm-up always. */
    public TokenBucketBuilder startsFull(boolean newStartsFull) {
        this.startsFull = newStartsFull;
        return this;
    }

    /** How long a call that names no timeout waits. Default 0. */
    public TokenBucketBuilder timeout(Duration newTimeout) {
        this.timeout = newTimeout;
        return this;
    }

    /** How far ahead permits can be booked. Default 1 h. */
    public TokenBucketBuilder maxWait(Duration newMaxWait) {
        this.maxWait = newMaxWait;
        return this;
    }

    /** How long an unused bucket is kept at the least. Default 60 s. */
    public TokenBucketBuilder expire(Duration newExpire) {
        this.expire = newExpire;
        return this;
    }

    /**
     * Lets every instance take permits ahead in blocks and give them out without asking Redis, while a key is hot. That
     * is fast and a little less exact: over any length of time the fleet admits at most one block for each instance more
     * than without. Default: every permit is asked for. Only where the caller waits for its own permits. Permits leased
     * so are spent when they are given out; a place that a caller holds and gives back is a {@link ConcurrencyLimit}'s.
     *
     * @param maxPermits how many permits of one key an instance holds at most, at least 1
     * @param maxTime how long it holds them at most, from 1 ms to 1 h; what is unused then goes back
     */
    public TokenBucketBuilder lease(int maxPermits, Duration maxTime) {
        this.lease = new LeaseTerms(maxPermits, maxTime);
        return this;
    }

    TokenBucketBuilder lease(@Nullable LeaseTerms newLease) {
        this.lease = newLease;
        return this;
    }

    /**
     * @throws IllegalArgumentException if a number is out of its range, or the bucket could never grant a permit
     */
    public TokenBucket build() {
        return new TokenBucket(
                permitsPerSecond, burstSeconds, warmUp, whoWaits, startsFull, timeout, maxWait, expire, lease);
    }
}
