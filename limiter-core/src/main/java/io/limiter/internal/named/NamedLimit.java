package io.limiter.internal.named;

import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ShownLimit;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that a factory knows of one name. Its limiters may have several definitions, kinds and prefixes. A plan has a name of its own,
 * and takes the permits of another one.
 *
 * <p>After they were built, limiters are changed by a rate that was set, if they have its prefix, above it by the live limit of their
 * name, and above that by the live limit of a key. This supplies the live limit of the name, as long as it fits a limiter, of those of
 * one prefix and kind the one that was built last, or there is none. Safe for use by multiple threads.
 */
public final class NamedLimit implements Supplier<@Nullable LimitChange> {

    private static final AsyncLog log = AsyncLog.of(NamedLimit.class);

    private final String name;
    private final NamedLimits all;
    private final AtomicLong builds = new AtomicLong();
    // These are guarded by the monitor of this.
    private final Set<ChangeableLimit<?>> limiters = Collections.newSetFromMap(new WeakHashMap<>());
    private @Nullable LimitChange warnedOf;

    private volatile @Nullable LimitChange live;
    private volatile @Nullable LimitChange supplied;
    // Whether what is supplied may have changed since it was computed.
    private volatile boolean builtSince;
    // Null while there are none, so that a decision pays nothing for them.
    private volatile @Nullable KeyTable<KeyOverride> keys;

    NamedLimit(String name, NamedLimits all) {
        this.name = name;
        this.all = all;
    }

    String name() {
        return name;
    }

    @Override
    public @Nullable LimitChange get() {
        if (live != null && builtSince) {
            synchronized (this) {
                supply();
            }
        }
        return supplied;
    }

    /**
     * Adds a new limiter.
     *
     * @param own its name with its prefix; the counters are set
     * @param permits the name of the limit whose permits it takes
     */
    void add(ChangeableLimit<?> limiter, PrefixedName own, PrefixedName permits, LimiterId id) {
        LimiterCounters counters = Objects.requireNonNull(own.counters());
        OptionsInUse options = id.options();
        // A warning that nobody receives would be the only one of its window.
        Share warnAt = options.listeners() ? options.warnAt() : null;
        ShownLimit shown = new ShownLimit(
                options.namespace(),
                options.hashTag(),
                id.limit(),
                options.policy(),
                options.ban(),
                warnAt,
                options.live());
        synchronized (this) {
            if (own.hasOwnCounters()) {
                counters.plan(options.plan());
                counters.bans(permits.bans());
            }
            counters.prefetch(options.prefetch());
            limiter.setBan(options.ban(), permits.bans());
            limiter.setLeave(options.leave());
            limiter.setWarnAt(warnAt);
            limiter.setCounters(options.listeners() ? counters : counters.quiet());
            limiter.setName(own, permits.named(), shown, options.unlimited());
            limiters.add(limiter);
            built(limiter);
            LimitChange change = live;
            apply(limiter, change, true);
            if (change != null && limiter.isLive()) {
                warnIfUnfit(limiter, change);
            }
        }
    }

    /** One of its limiters is built, or built again. */
    void built(ChangeableLimit<?> limiter) {
        limiter.built(builds.incrementAndGet());
        // Last, because what is supplied depends on the number.
        builtSince = true;
    }

    long lastBuild() {
        return builds.get();
    }

    /** Sets the rate of the limiters of a prefix, from the next decisions on. */
    synchronized void setRate(PrefixedName own, double permitsPerSecond) {
        own.setRate(permitsPerSecond);
        all.keep(own);
        for (ChangeableLimit<?> limiter : limiters) {
            apply(limiter, live, limiter.prefix().equals(own.prefix()));
        }
        LimitChange change = live;
        if (change != null) {
            newest().forEach(limiter -> warnIfUnfit(limiter, change));
        }
        supply();
    }

    /**
     * Sets the live limit, from the next decisions on. Limiters that it does not fit keep their own limit and failure policy, with a
     * warning, and those of another kind without one.
     *
     * @param change {@code null} for none
     */
    public synchronized void live(@Nullable LimitChange change) {
        live = change;
        keepIfNeeded();
        limiters.forEach(limiter -> apply(limiter, change, false));
        if (change != null) {
            newest().forEach(limiter -> warnIfUnfit(limiter, change));
        }
        supply();
    }

    /**
     * Sets the live limit of a key, from the next decision on.
     *
     * @param key its keys as text, or the hash of that
     * @param change {@code null} for none
     * @param untilEndMicros how long it lasts
     */
    public synchronized void liveOfKey(
            String key, boolean isHash, @Nullable LimitChange change, LongSupplier untilEndMicros) {
        KeyTable<KeyOverride> changed = keys == null ? new KeyTable<>(all::hash) : keys;
        changed.put(key, isHash, change == null ? null : new KeyOverride(name, change, untilEndMicros));
        keys = changed.isEmpty() ? null : changed;
        keepIfNeeded();
    }

    @Nullable
    KeyOverride ofKey(String key) {
        KeyTable<KeyOverride> known = keys;
        return known == null ? null : known.get(key);
    }

    private void keepIfNeeded() {
        if (live != null || keys != null) {
            all.keep(this);
        } else {
            all.release(this);
        }
    }

    private void supply() {
        builtSince = false;
        LimitChange change = live;
        if (change == null) {
            supplied = null;
            return;
        }
        Collection<ChangeableLimit<?>> newest = newest();
        supplied = newest.isEmpty() || newest.stream().anyMatch(limiter -> fits(limiter, change)) ? change : null;
    }

    private boolean fits(ChangeableLimit<?> limiter, LimitChange change) {
        AnyLimit own = withRate(limiter, false);
        return change.concerns(own) && problem(own, change) == null;
    }

    /** Those that live limits change, of each prefix and kind the one that was built last. */
    private Collection<ChangeableLimit<?>> newest() {
        Map<Object, ChangeableLimit<?>> newest = new HashMap<>();
        for (ChangeableLimit<?> limiter : limiters) {
            if (limiter.isLive()) {
                newest.merge(
                        prefixAndKind(limiter), limiter, (one, other) -> one.builtAs() > other.builtAs() ? one : other);
            }
        }
        return newest.values();
    }

    private static Object prefixAndKind(ChangeableLimit<?> limiter) {
        return List.of(limiter.prefix(), limiter.builtLimit().getClass());
    }

    private <L extends AnyLimit> void apply(ChangeableLimit<L> limiter, @Nullable LimitChange change, boolean logRate) {
        L own = withRate(limiter, logRate);
        if (limiter.rate() != null) {
            limiter.counters().rateSet();
        }
        LimitChange fitting = change != null && limiter.isLive() && change.concerns(own) && problem(own, change) == null
                ? change
                : null;
        limiter.change(
                fitting == null ? limiter.ofItsOwn(own) : fitting.over(limiter.ofItsOwn(own)),
                limiter.isUnlimited() && (fitting == null || !fitting.hasParameters()));
    }

    private void warnIfUnfit(ChangeableLimit<?> limiter, LimitChange change) {
        AnyLimit own = withRate(limiter, false);
        String problem = warnedOf == change ? null : problemOfName(own, change);
        if (problem != null) {
            warnedOf = change;
            log.warn(
                    "Limiter '{}' keeps its own limit {}, because the live limit does not fit: {}", name, own, problem);
        }
    }

    /** Its own limit, with the rate that was set. */
    @SuppressWarnings("unchecked") // A changed token bucket is one.
    private <L extends AnyLimit> L withRate(ChangeableLimit<L> limiter, boolean logIt) {
        L built = limiter.builtLimit();
        Double rate = limiter.rate();
        if (rate == null || !(built instanceof TokenBucket bucket)) {
            return built;
        }
        try {
            return (L) bucket.withRate(rate);
        } catch (IllegalArgumentException e) {
            if (logIt) {
                log.warn(
                        "Limiter '{}' keeps its rate of {}/s, because its limit does not allow the rate that was set for"
                                + " its name: {}",
                        name,
                        bucket.permitsPerSecond(),
                        e.getMessage());
            }
            return built;
        }
    }

    /** Why a change does not fit; {@code null} if it does, or is for limiters of another kind that there are. */
    private @Nullable String problemOfName(AnyLimit own, LimitChange change) {
        boolean isForOthers = !change.concerns(own)
                && limiters.stream().anyMatch(other -> other.isLive() && change.concerns(other.builtLimit()));
        return isForOthers ? null : problem(own, change);
    }

    private static @Nullable String problem(AnyLimit own, LimitChange change) {
        try {
            change.applied(own);
            return null;
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Compares a live limit with the limiters.
     *
     * @param ofKey whether it is for one key, which has it above the live limit of all
     * @return whether there are any
     * @throws IllegalArgumentException if it would not fit
     */
    public synchronized boolean check(LimitChange change, boolean ofKey) {
        Collection<ChangeableLimit<?>> newest = newest();
        for (ChangeableLimit<?> limiter : newest) {
            String problem = problemOfName(ofKey ? limiter.limit() : withRate(limiter, false), change);
            if (problem != null) {
                throw new IllegalArgumentException("the live limit of '" + name + "' does not fit its limiter "
                        + limiter.builtLimit() + ": " + problem);
            }
        }
        return !newest.isEmpty();
    }

    /** Why the live limit could not be applied to the limiters of a prefix; empty if it was, or there is none. */
    public synchronized String notApplied(String prefix) {
        LimitChange change = live;
        if (change == null) {
            return "";
        }
        return newest().stream()
                .filter(limiter -> limiter.prefix().equals(prefix))
                .map(limiter -> problemOfName(withRate(limiter, false), change))
                .filter(problem -> problem != null)
                .findFirst()
                .orElse("");
    }
}
