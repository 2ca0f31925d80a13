package io.limiter.faults.account;

import io.limiter.FailurePolicy;
import io.limiter.Prefetch;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limiters of a load, each of which shows something else. */
public enum Limiters {
    /** A bucket under more load than it grants: shows whether too much is granted. */
    LIMITED(4, FailurePolicy.LOCAL, TokenBucket.perSecond(100).withCapacity(100)),
    /** A bucket practically without refill: shows whether a permit was taken twice, or forgotten. */
    COUNTED(8, FailurePolicy.THROW, countable()),
    /** As {@link #COUNTED}, but that each call has a key of its own: shows of each call how often it was executed. */
    ONCE(0, FailurePolicy.THROW, TokenBucket.per(1, Duration.ofDays(1)).withCapacity(100)),
    /** A bucket that is never empty: each rejection is wrong. */
    ROOMY(64, FailurePolicy.LOCAL, TokenBucket.perSecond(1_000_000).withCapacity(1_000_000)),
    /** As {@link #LIMITED}, with {@link #PREFETCH}. */
    PREFETCHED(1, FailurePolicy.LOCAL, TokenBucket.perSecond(1000).withCapacity(1000)),
    /** As {@link #COUNTED}, with {@link #PREFETCH}, which needs permits: shows whether one is granted twice. */
    PREFETCHED_COUNTED(1, FailurePolicy.THROW, countable()),
    /** One key of a whole fleet, with {@link #PREFETCH}; when Redis does not decide, only prefetched permits are granted. */
    HOT(1, FailurePolicy.DENY, TokenBucket.perSecond(1000).withCapacity(1000)),
    /** Leases of {@link #LEASES}: shows whether too many are held, or too few. */
    LEASED(1, FailurePolicy.DENY, TokenBucket.perSecond(1)),
    /** A bucket with many keys, of which a few are called most. */
    MANY(
            1_000_000,
            FailurePolicy.LOCAL,
            TokenBucket.per(2, Duration.ofSeconds(5)).withCapacity(2).withExpire(Duration.ofSeconds(10))),
    /** Two windows can meet in an interval, however short. */
    WINDOWED(2, FailurePolicy.LOCAL, FixedWindow.of(100, Duration.ofSeconds(1)), 200, 100),
    LOGGED(2, FailurePolicy.LOCAL, SlidingLog.of(50, Duration.ofSeconds(1)), 50, 50),
    /** As exact as windows at worst. */
    SLIDING(2, FailurePolicy.LOCAL, SlidingCounter.of(100, Duration.ofSeconds(1)), 200, 100),
    /** Under more load than it grants, and when Redis does not decide it grants everything. */
    FAIL_OPEN(1, FailurePolicy.ALLOW, TokenBucket.perSecond(100).withCapacity(100)),
    /** Under more load than it grants, and when Redis does not decide it grants nothing. */
    FAIL_CLOSED(1, FailurePolicy.DENY, TokenBucket.perSecond(100).withCapacity(100)),
    /** Under more load than it grants, and when Redis does not decide each JVM grants half of it. */
    SHARED(1, FailurePolicy.local(0.5), TokenBucket.perSecond(100).withCapacity(100)),
    /** Under more load than it grants, and when Redis does not decide, one JVM grants each key, and all others reject it. */
    OWNED(3, FailurePolicy.OWNER, TokenBucket.perSecond(50).withCapacity(50)),
    /** Under more load than it grants, by callers that wait up to {@link #LONGEST_WAIT}: shows whether one wakes early. */
    WAITED(1, FailurePolicy.LOCAL, TokenBucket.perSecond(50).withCapacity(10)),
    /** As {@link #COUNTED}; half of the permits are refunded. */
    REFUNDED(1, FailurePolicy.THROW, countable()),
    /** A bucket practically without refill that is soon empty; half of the permits are refunded. */
    REFUNDED_ALONE(
            1, FailurePolicy.LOCAL, TokenBucket.per(1, Duration.ofSeconds(80)).withCapacity(1000)),
    /** As {@link #COUNTED}; a call takes an estimate of 2 and settles it by one more or one less. */
    SETTLED(1, FailurePolicy.THROW, countable()),
    /** Under more load than it grants, by calls that take up to {@link #MOST_AT_ONCE} permits, as many as there are. */
    UP_TO(1, FailurePolicy.THROW, TokenBucket.perSecond(100).withCapacity(100)),
    /** Under more load than it grants, by calls that leave a fifth of it to others, which never come. */
    LEAVING(1, FailurePolicy.THROW, TokenBucket.perSecond(100).withCapacity(100), 80, 100),
    /** As {@link #WINDOWED}, and each window warns once in the whole fleet. */
    WARNED(1, FailurePolicy.THROW, FixedWindow.of(100, Duration.ofSeconds(1)), 200, 100),
    /** As {@link #COUNTED}, in a set with {@link #PART_LIMITED}: shows whether a set that is rejected takes a part. */
    PART_COUNTED(1, FailurePolicy.THROW, countable()),
    PART_LIMITED(1, FailurePolicy.LOCAL, TokenBucket.perSecond(100).withCapacity(100)),
    /** As {@link #PART_COUNTED}, in a set with {@link #ACROSS_LIMITED}, whose key is in another slot, on another master of a Cluster. */
    ACROSS_COUNTED(1, FailurePolicy.THROW, countable()),
    ACROSS_LIMITED(1, FailurePolicy.THROW, TokenBucket.perSecond(100).withCapacity(100)),
    /** In a set with {@link #PART_OPEN}, which must not grant what this rejects. */
    PART_LOCAL(1, FailurePolicy.LOCAL, TokenBucket.perSecond(100).withCapacity(100)),
    PART_OPEN(1, FailurePolicy.ALLOW, TokenBucket.perSecond(1_000_000).withCapacity(1_000_000)),
    /** Under more load than it grants, with {@link #BAN}: shows whether a banned key is granted. */
    BANNING(2, FailurePolicy.LOCAL, TokenBucket.perSecond(100).withCapacity(10));

    /** Eight at a time; those of a JVM that is gone come back after two seconds. */
    public static final ConcurrencyLimit LEASES = ConcurrencyLimit.of(8).withLeaseTime(Duration.ofSeconds(2));

    /** For a second each time. */
    public static final Ban BAN =
            Ban.after(10, Duration.ofSeconds(1)).withLengths(Duration.ofSeconds(1), Duration.ofSeconds(1));

    public static final Prefetch PREFETCH = Prefetch.of(Duration.ofMillis(500));

    public static final Share LEAVE = Share.parse("20%");

    public static final Share WARN_AT = Share.parse("80%");

    public static final int MOST_AT_ONCE = 7;

    public static final Duration LONGEST_WAIT = Duration.ofMillis(300);

    private static final Limiters[] VALUES = values();

    private final int keys;
    private final FailurePolicy policy;
    private final Limit limit;
    private final double capacity;
    private final double rate;

    Limiters(int keys, FailurePolicy policy, TokenBucket bucket) {
        this(keys, policy, bucket, bucket.maxPermits(), bucket.permitsPerSecond());
    }

    Limiters(int keys, FailurePolicy policy, Limit limit, double capacity, double rate) {
        this.keys = keys;
        this.policy = policy;
        this.limit = limit;
        this.capacity = capacity;
        this.rate = rate;
    }

    /**
     * All that is taken of it can be counted in Redis, and it never rejects. Its keys are kept for so long that its script decides
     * by the usual steps, as long as less than 75,000 permits of a key are taken.
     */
    private static TokenBucket countable() {
        return TokenBucket.per(1, Duration.ofSeconds(80))
                .withCapacity(1_000_000)
                .withExpire(Duration.ofDays(70));
    }

    static Limiters of(int ordinal) {
        return VALUES[ordinal];
    }

    /** How many keys are called; 0 if each call has its own. */
    public int keys() {
        return keys;
    }

    public String key(int index) {
        // In a Cluster of three masters, k10 is on another one than k0.
        return (this == ACROSS_LIMITED ? "k1" : "k") + index;
    }

    /** What decides when Redis does not. */
    public FailurePolicy policy() {
        return policy;
    }

    /** What it grants; for {@link #LEASED} see {@link #LEASES}. */
    public Limit limit() {
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

    /** Whether it has {@link #PREFETCH}. */
    public boolean isPrefetched() {
        return this == PREFETCHED || this == PREFETCHED_COUNTED || this == HOT;
    }

    /** Whether it always has permits, so that a rejection is wrong. */
    public boolean hasAlwaysPermits() {
        return this == COUNTED
                || this == ONCE
                || this == ROOMY
                || this == REFUNDED
                || this == SETTLED
                || this == PREFETCHED_COUNTED;
    }

    /** Whether it is called more often than it grants, so that it grants nearly all that it is refilled by. */
    public boolean isOverloaded() {
        return switch (this) {
            case LIMITED,
                    FAIL_OPEN,
                    FAIL_CLOSED,
                    SHARED,
                    OWNED,
                    WAITED,
                    UP_TO,
                    LEAVING,
                    PART_LIMITED,
                    ACROSS_LIMITED,
                    PART_LOCAL -> true;
            default -> false;
        };
    }

    /** Whether what is taken of it in Redis is known, as it is refilled by less than a permit while an experiment lasts. */
    public boolean isCounted() {
        return this == COUNTED
                || this == REFUNDED
                || this == SETTLED
                || this == PART_COUNTED
                || this == ACROSS_COUNTED
                || this == PREFETCHED_COUNTED;
    }

    /** Whether callers refund permits; an entry of a refund has a negative number of them. */
    public boolean isRefunded() {
        return this == REFUNDED || this == REFUNDED_ALONE;
    }

    /** The second of a set, which is called with this one; {@code null} if this is called alone. */
    public @Nullable Limiters second() {
        return switch (this) {
            case PART_COUNTED -> PART_LIMITED;
            case ACROSS_COUNTED -> ACROSS_LIMITED;
            case PART_LOCAL -> PART_OPEN;
            default -> null;
        };
    }
}
