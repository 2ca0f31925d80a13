package io.limiter.internal.limiter;

import io.limiter.algorithm.Limit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the failure policy of a limiter and its views: those it was built with, until {@link Overrides} change them.
 *
 * @param <L> the kind of limit
 */
class ChangeableLimit<L extends Limit<?>> {

    private final String prefix;
    private final String name;
    private final L builtLimit;
    private final Failover builtEngine;
    private volatile L limit;
    private volatile Failover engine;
    private LimiterCounters counters;
    // Strong, so that they are kept as long as a limiter needs them.
    private @Nullable Overrides overrides;
    private boolean live;

    ChangeableLimit(String prefix, String name, L limit, Failover engine) {
        this.prefix = prefix;
        this.name = name;
        this.builtLimit = limit;
        this.builtEngine = engine;
        this.limit = limit;
        this.engine = engine;
        this.counters = LimiterCounters.unregistered(prefix, name);
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    final void countIn(LimiterCounters newCounters) {
        counters = newCounters;
    }

    /**
     * Sets what may change it. To be called before any other thread sees this limiter.
     *
     * @param newLive whether live limits change it too
     */
    final void overriddenBy(Overrides newOverrides, boolean newLive) {
        overrides = newOverrides;
        live = newLive;
        newOverrides.add(this);
    }

    /** Applies from the next decision on. */
    final void change(L newLimit, Failover newEngine) {
        if (!newLimit.equals(limit)) {
            limit = newLimit;
            counters.limit(newLimit);
        }
        if (newEngine != engine) {
            engine = newEngine;
            counters.failurePolicy(newEngine.policy());
        }
    }

    @Nullable
    final Overrides overrides() {
        return overrides;
    }

    /** Whether live limits change it. */
    final boolean isLive() {
        return live;
    }

    final String prefix() {
        return prefix;
    }

    final String name() {
        return name;
    }

    final L builtLimit() {
        return builtLimit;
    }

    final Failover builtEngine() {
        return builtEngine;
    }

    final L limit() {
        return limit;
    }

    final Failover engine() {
        return engine;
    }

    final LimiterCounters counters() {
        return counters;
    }
}
