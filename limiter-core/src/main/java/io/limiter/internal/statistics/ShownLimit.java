package io.limiter.internal.statistics;

import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What statistics show of a limiter. An object of its own, because counters outlive limiters and must not keep them. Safe for use by
 * multiple threads.
 */
public final class ShownLimit {

    final String namespace;
    final HashTag hashTag;
    final @Nullable Ban ban;
    final @Nullable Share warnAt;
    private final boolean live;
    private final AtomicLong builtAs = new AtomicLong();
    private volatile AnyLimit limit;
    private volatile FailurePolicy policy;

    /**
     * @param ban of its keys; {@code null} for none
     * @param warnAt how many permits of a window are used when it warns; {@code null} if it does not
     * @param live whether live limits change it
     */
    public ShownLimit(
            String namespace,
            HashTag hashTag,
            AnyLimit limit,
            FailurePolicy policy,
            @Nullable Ban ban,
            @Nullable Share warnAt,
            boolean live) {
        this.namespace = namespace;
        this.hashTag = hashTag;
        this.limit = limit;
        this.policy = policy;
        this.ban = ban;
        this.warnAt = warnAt;
        this.live = live;
    }

    /** The limiter has another limit or failure policy from now on. */
    public void changed(AnyLimit newLimit, FailurePolicy newPolicy) {
        limit = newLimit;
        policy = newPolicy;
    }

    /** The limiter is built, also again, which has this number among the builds of its name. */
    public void built(long number) {
        // Two threads may build it at the same time.
        builtAs.accumulateAndGet(number, Math::max);
    }

    /** The number of its latest build. */
    public long builtAs() {
        return builtAs.get();
    }

    /** Whether live limits change it. */
    public boolean live() {
        return live;
    }

    /** Whether it is shown rather than another one: if live limits change it alone, or it was built later. */
    boolean hides(ShownLimit other) {
        return live == other.live ? builtAs() >= other.builtAs() : live;
    }

    AnyLimit limit() {
        return limit;
    }

    FailurePolicy policy() {
        return policy;
    }
}
