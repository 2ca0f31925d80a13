package io.limiter.internal.limiter;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** The rate that was set for a prefix and name, shared by all limiters that a factory builds for them. */
final class SharedRate {

    private static final AsyncLog log = AsyncLog.of(SharedRate.class);

    private final Set<BoundLimit<TokenBucket>> limiters = Collections.newSetFromMap(new WeakHashMap<>());
    private final Set<SharedRate> kept;
    private double permitsPerSecond = Double.NaN;

    /**
     * @param kept holds the rates that were set
     */
    SharedRate(Set<SharedRate> kept) {
        this.kept = kept;
    }

    synchronized void add(BoundLimit<TokenBucket> limiter) {
        limiters.add(limiter);
        if (!Double.isNaN(permitsPerSecond)) {
            change(limiter);
        }
    }

    /** Applies from the next decisions on. */
    synchronized void set(double newPermitsPerSecond) {
        kept.add(this);
        permitsPerSecond = newPermitsPerSecond;
        limiters.forEach(this::change);
    }

    private void change(BoundLimit<TokenBucket> limiter) {
        try {
            limiter.changeLimit(limiter.limit().withRate(permitsPerSecond));
        } catch (IllegalArgumentException e) {
            log.warn(
                    "Limiter '{}' keeps its rate of {}/s, because its limit does not allow the rate that was set for its"
                            + " name: {}",
                    limiter.name(),
                    limiter.limit().permitsPerSecond(),
                    e.getMessage());
        }
    }
}
