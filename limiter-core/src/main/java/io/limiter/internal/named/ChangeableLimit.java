package io.limiter.internal.named;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.internal.prefetch.PrefetchEngine;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ShownLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the failure policy of a limiter and its views: those it was built with, until its {@link NamedLimit} changes them.
 *
 * @param <L> the kind of limit
 */
public class ChangeableLimit<L extends AnyLimit> {

    private final String prefix;
    private String name;
    private final L builtLimit;
    private final Failover builtEngine;
    private volatile EffectiveLimit<L> effective;
    private LimiterCounters counters;
    // These are null for a limiter without a factory. Strong, so that they are kept as long as a limiter needs them.
    private @Nullable NamedLimit named;
    private @Nullable NamedLimit ofPermits;
    private @Nullable ShownLimit shown;
    private boolean live;
    private volatile long builtAs;

    public ChangeableLimit(String prefix, String name, L limit, Failover engine) {
        this.prefix = prefix;
        this.name = name;
        this.builtLimit = limit;
        this.builtEngine = engine;
        this.effective = new EffectiveLimit<>(limit, engine);
        this.counters = LimiterCounters.unregistered(prefix, name);
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    public final void setCounters(LimiterCounters newCounters) {
        counters = newCounters;
    }

    /**
     * Adds a ban of its keys. To be called before any other thread sees this limiter.
     *
     * @param ban {@code null} for none
     * @param ofLimit the known bans of the limit, of which other limiters may have one
     */
    public void setBan(@Nullable Ban ban, KnownBans ofLimit) {}

    /**
     * Makes it one of the limiters of a name. To be called before any other thread sees this limiter.
     *
     * @param newOfPermits that of the limit whose permits it takes: of a plan another one
     * @param newShown what statistics show of it; {@code null} if its counters are those of many names
     * @param newLive whether live limits change it
     */
    final void setName(NamedLimit newNamed, NamedLimit newOfPermits, @Nullable ShownLimit newShown, boolean newLive) {
        name = newNamed.name();
        named = newNamed;
        ofPermits = newOfPermits;
        shown = newShown;
        live = newLive;
    }

    /**
     * It is built again: statistics show it rather than another one of the same name that was built since. Takes no lock, because
     * applications build a limiter for each request.
     */
    public final void builtAgain() {
        NamedLimit ofName = named;
        if (ofName != null && live && (builtAs != ofName.lastBuild() || shown != null && !counters.shows(shown))) {
            built(ofName.nextBuild());
        }
    }

    final void built(long number) {
        builtAs = number;
        if (shown != null) {
            counters.show(shown);
        }
    }

    /** The number of its latest build among those of its name. */
    final long builtAs() {
        return builtAs;
    }

    /** Applies from the next decision on. */
    public final void change(EffectiveLimit<L> changed) {
        L replaced = limit();
        effective = changed;
        if (changed.engine().engine() instanceof PrefetchEngine prefetch
                && !changed.limit().equals(replaced)) {
            prefetch.drop(replaced.asStep());
        }
        if (shown != null) {
            shown.changed(changed.limit(), changed.engine().policy());
        }
    }

    public final @Nullable NamedLimit named() {
        return named;
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
        return effective.limit();
    }

    public final Failover engine() {
        return effective.engine();
    }

    /** What decides about all keys without a live limit of their own. */
    public final EffectiveLimit<L> effective() {
        return effective;
    }

    /**
     * What decides about a key.
     *
     * @param key its keys as text; {@code null} for the limiter's own permits
     */
    public final EffectiveLimit<L> effective(@Nullable String key) {
        KeyOverride ofKey = key == null || ofPermits == null ? null : ofPermits.ofKey(key);
        return ofKey == null ? effective : ofKey.over(effective);
    }

    public final LimiterCounters counters() {
        return counters;
    }
}
