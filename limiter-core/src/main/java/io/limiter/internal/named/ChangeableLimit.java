package io.limiter.internal.named;

import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.prefetch.PrefetchEngine;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ShownLimit;
import io.limiter.step.Verdict;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the failure policy of a limiter and its views: those it was built with, until its {@link NamedLimit} changes them.
 *
 * @param <L> the kind of limit
 */
public class ChangeableLimit<L extends AnyLimit> {

    private static final Failover UNLIMITED = Failover.none(new AccessEngine(Known.EXEMPT, () -> Verdict.NEVER_MICROS));

    private final String prefix;
    private String name;
    private final L builtLimit;
    private final Failover builtEngine;
    private volatile EffectiveLimit<L> effective;
    // The same, but of a plan that is unlimited: then what would decide if it was not.
    private volatile EffectiveLimit<L> limited;
    private LimiterCounters counters;
    // These are null for a limiter without a factory. Strong, so that they are kept as long as a limiter needs them.
    private @Nullable PrefixedName own;
    private @Nullable NamedLimit permits;
    private @Nullable ShownLimit shown;
    private boolean unlimited;
    private @Nullable Share leave;
    private @Nullable Share warnAt;

    public ChangeableLimit(String prefix, String name, L limit, Failover engine) {
        this.prefix = prefix;
        this.name = name;
        this.builtLimit = limit;
        this.builtEngine = engine;
        this.limited = new EffectiveLimit<>(limit, engine);
        this.effective = limited;
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

    /** Sets how many permits it leaves to others. To be called before any other thread sees this limiter. */
    final void setLeave(@Nullable Share newLeave) {
        leave = newLeave;
    }

    /** Sets how many permits are used when it warns. To be called before any other thread sees this limiter. */
    final void setWarnAt(@Nullable Share newWarnAt) {
        warnAt = newWarnAt;
    }

    /**
     * Makes it one of the limiters of a name. To be called before any other thread sees this limiter.
     *
     * @param newPermits the name of the limit whose permits it takes: of a plan another one
     * @param newShown what statistics show of it
     * @param newUnlimited whether it is of a plan that is unlimited
     */
    final void setName(PrefixedName newOwn, NamedLimit newPermits, ShownLimit newShown, boolean newUnlimited) {
        unlimited = newUnlimited;
        name = newOwn.named().name();
        own = newOwn;
        permits = newPermits;
        shown = newShown;
    }

    /**
     * It is built again: statistics show it rather than another one of the same name that was built since. Takes no lock, because
     * applications build a limiter for each request.
     */
    public final void builtAgain() {
        PrefixedName known = own;
        if (known != null && isLive() && builtAs() != known.named().lastBuild()) {
            known.named().built(this);
        }
    }

    final void built(long number) {
        ShownLimit latest = Objects.requireNonNull(shown);
        latest.built(number);
        if (Objects.requireNonNull(own).hasOwnCounters()) {
            counters.show(latest);
        }
    }

    /** The number of its latest build among those of its name. */
    final long builtAs() {
        return shown == null ? 0 : shown.builtAs();
    }

    /** The rate that was set for its prefix and name; {@code null} for none. */
    final @Nullable Double rate() {
        return own == null ? null : own.rate();
    }

    /**
     * Sets the rate of all limiters of its prefix and name, from the next decisions on.
     *
     * @return {@code false} if it is a limiter without a factory, which this does not change
     */
    public final boolean setRate(double permitsPerSecond) {
        if (own != null) {
            own.named().setRate(own, permitsPerSecond);
        }
        return own != null;
    }

    /** Applies from the next decision on. */
    public final void change(EffectiveLimit<L> changed) {
        change(changed, false);
    }

    /** @param unlimited whether all is granted to keys without a live limit of their own */
    final void change(EffectiveLimit<L> changed, boolean unlimited) {
        L replaced = limit();
        limited = changed;
        effective = unlimited ? new EffectiveLimit<>(changed.limit(), UNLIMITED) : changed;
        if (changed.failover().engine() instanceof PrefetchEngine prefetch
                && !changed.limit().equals(replaced)) {
            prefetch.drop(replaced.asStep());
        }
        if (shown != null) {
            shown.changed(changed.limit(), changed.failover().policy());
        }
    }

    final boolean isUnlimited() {
        return unlimited;
    }

    /** Whether live limits change it. */
    final boolean isLive() {
        return shown != null && shown.live();
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

    /** What decides without a live limit. */
    final EffectiveLimit<L> ofItsOwn(L own) {
        return new EffectiveLimit<>(own, builtEngine, leave, warnAt);
    }

    public final L limit() {
        return effective.limit();
    }

    /** The engine and the failure policy, also of a plan that is unlimited. */
    public final Failover failover() {
        return limited.failover();
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
        KeyOverride override = key == null || permits == null ? null : permits.ofKey(key);
        return override == null ? effective : ofKey(override);
    }

    private EffectiveLimit<L> ofKey(KeyOverride override) {
        EffectiveLimit<L> others = limited;
        EffectiveLimit<L> ofKey = override.over(others);
        boolean isLimited = ofKey != others && override.limits() || effective == others;
        return isLimited ? ofKey : effective;
    }

    public final LimiterCounters counters() {
        return counters;
    }
}
