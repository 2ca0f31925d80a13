package io.limiter.faults.account;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;

/** The limiters of a load, each of which shows something else. */
public enum Limiters {
    /** A bucket under more load than it grants, policy {@code local}: shows whether too much is granted. */
    LIMITED(4, TokenBucket.perSecond(100).capacity(100)),
    /** A bucket practically without refill, policy {@code throw}: shows whether a permit was taken twice, or forgotten. */
    COUNTED(8, TokenBucket.per(1, Duration.ofSeconds(80)).capacity(1_000_000)),
    /** A bucket that is never empty, policy {@code local}: each rejection is wrong. */
    ROOMY(64, TokenBucket.perSecond(1_000_000).capacity(1_000_000)),
    /** As {@link #LIMITED}, with {@link #PREFETCH}. */
    PREFETCHED(1, TokenBucket.perSecond(1000).capacity(1000)),
    /** Leases of {@link #LEASES}, policy {@code deny}: shows whether too many are held. */
    LEASED(1, TokenBucket.perSecond(1)),
    /** A bucket with many keys, of which a few are called most. */
    MANY(1_000_000, TokenBucket.per(2, Duration.ofSeconds(5)).capacity(2).expire(Duration.ofSeconds(10))),
    /** Two windows can meet in an interval, however short. */
    WINDOWED(2, FixedWindow.of(100, Duration.ofSeconds(1)), 200, 100),
    LOGGED(2, SlidingLog.of(50, Duration.ofSeconds(1)), 50, 50),
    /** As exact as windows at worst. */
    SLIDING(2, SlidingCounter.of(100, Duration.ofSeconds(1)), 200, 100);

    /** Eight at a time; those of a JVM that is gone come back after two seconds. */
    public static final ConcurrencyLimit LEASES = ConcurrencyLimit.of(8).leaseTime(Duration.ofSeconds(2));

    public static final PrefetchTerms PREFETCH = new PrefetchTerms(100, Duration.ofMillis(500));

    private static final Limiters[] VALUES = values();

    private final int keys;
    private final Limit<?> limit;
    private final double capacity;
    private final double rate;

    Limiters(int keys, TokenBucket bucket) {
        this(keys, bucket, bucket.maxPermits(), bucket.permitsPerSecond());
    }

    Limiters(int keys, Limit<?> limit, double capacity, double rate) {
        this.keys = keys;
        this.limit = limit;
        this.capacity = capacity;
        this.rate = rate;
    }

    static Limiters of(int ordinal) {
        return VALUES[ordinal];
    }

    /** How many keys are called. */
    public int keys() {
        return keys;
    }

    public String key(int index) {
        return "k" + index;
    }

    /** What it grants; for {@link #LEASED} see {@link #LEASES}. */
    public Limit<?> limit() {
        return limit;
    }

    /** In any interval of {@code d} seconds it grants at most {@code capacity + rate * d}. */
    public double capacity() {
        return capacity;
    }

    /** Permits per second; see {@link #capacity}. */
    public double rate() {
        return rate;
    }

    /** Permits that a JVM may have taken ahead. */
    public int prefetch() {
        return this == PREFETCHED ? PREFETCH.maxPermits() : 0;
    }

    /** Whether it always has permits, so that a rejection is wrong. */
    public boolean hasAlwaysPermits() {
        return this == COUNTED || this == ROOMY;
    }
}
