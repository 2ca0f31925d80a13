package io.limiter.internal.override;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.internal.prefetch.PrefetchEngine;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the failure policy of a limiter and its views: those it was built with, until {@link Overrides} change them.
 *
 * @param <L> the kind of limit
 */
public class ChangeableLimit<L extends AnyLimit> {

    private final String prefix;
    private String name;
    private final L builtLimit;
    private final Failover builtEngine;
    private volatile InEffect<L> inEffect;
    private LimiterCounters counters;
    // Strong, so that they are kept as long as a limiter needs them.
    private @Nullable Overrides overrides;
    private @Nullable KeyOverrides keyOverrides;
    private boolean live;
    // For the counters, which must not keep this limiter.
    private final Object identity = new Object();

    public ChangeableLimit(String prefix, String name, L limit, Failover engine) {
        this.prefix = prefix;
        this.name = name;
        this.builtLimit = limit;
        this.builtEngine = engine;
        this.inEffect = new InEffect<>(limit, engine);
        this.counters = LimiterCounters.unregistered(prefix, name);
    }

    /** Sets the name under which counters and live limits know it. To be called before any other thread sees this limiter. */
    public final void knownAs(String newName) {
        name = newName;
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    public final void countIn(LimiterCounters newCounters) {
        counters = newCounters;
    }

    /**
     * Sets what may change it. To be called before any other thread sees this limiter.
     *
     * @param newKeyOverrides live limits of its keys
     * @param newLive whether those of its name change it too
     */
    public final void overriddenBy(Overrides newOverrides, KeyOverrides newKeyOverrides, boolean newLive) {
        overrides = newOverrides;
        keyOverrides = newKeyOverrides;
        live = newLive;
        newOverrides.add(this);
    }

    /** Applies from the next decision on. */
    public final void change(InEffect<L> changed) {
        L replaced = limit();
        inEffect = changed;
        if (changed.engine().engine() instanceof PrefetchEngine prefetch
                && !changed.limit().equals(replaced)) {
            prefetch.drop(replaced.asStep());
        }
        if (isReported()) {
            show();
        }
    }

    /** Whether its counters show this limit, rather than another one of the same name. */
    final boolean isReported() {
        return counters.shows(identity);
    }

    final void show() {
        // Otherwise they are for many limits.
        if (counters.prefix().equals(prefix) && counters.name().equals(name)) {
            counters.show(identity, limit(), engine().policy(), ban());
        }
    }

    /** The ban of its keys; {@code null} for none. */
    protected @Nullable Ban ban() {
        return null;
    }

    /** Has its counters show this limit, if another one of the same name was built after it. */
    public final void rebuilt() {
        if (overrides != null && live && !isReported()) {
            overrides.show(this);
        }
    }

    public final @Nullable Overrides overrides() {
        return overrides;
    }

    /** Whether live limits change it. */
    final boolean isLive() {
        return live;
    }

    public final String prefix() {
        return prefix;
    }

    /** The name under which counters and live limits know it: of a plan, not that of the limit whose permits it takes. */
    public final String name() {
        return name;
    }

    public final L builtLimit() {
        return builtLimit;
    }

    final Failover builtEngine() {
        return builtEngine;
    }

    public final L limit() {
        return inEffect.limit();
    }

    public final Failover engine() {
        return inEffect.engine();
    }

    public final InEffect<L> inEffect() {
        return inEffect;
    }

    /**
     * What decides about a key: its live limit, or what all have.
     *
     * @param key its keys as text; {@code null} for the limiter's own permits
     */
    public final InEffect<L> inEffect(@Nullable String key) {
        KeyOverride ofKey = key == null || keyOverrides == null ? null : keyOverrides.of(key);
        return ofKey == null ? inEffect : ofKey.over(inEffect);
    }

    public final LimiterCounters counters() {
        return counters;
    }
}
