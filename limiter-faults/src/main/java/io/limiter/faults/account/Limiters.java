package io.limiter.faults.account;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
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
    LEASED(1, TokenBucket.perSecond(1));

    /** Eight at a time; those of a JVM that is gone come back after two seconds. */
    public static final ConcurrencyLimit LEASES = ConcurrencyLimit.of(8).leaseTime(Duration.ofSeconds(2));

    public static final PrefetchTerms PREFETCH = new PrefetchTerms(100, Duration.ofMillis(500));

    private static final Limiters[] VALUES = values();

    private final int keys;
    private final TokenBucket bucket;

    Limiters(int keys, TokenBucket bucket) {
        this.keys = keys;
        this.bucket = bucket;
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
    public TokenBucket bucket() {
        return bucket;
    }
}
