package io.limiter.internal.named;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ShownLimit;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
    private static final int FEW_PREFIXES = 100;

    private final String name;
    private final NamedLimits all;
    private final AtomicLong builds = new AtomicLong();
    // These are guarded by the monitor of this.
    private final Set<ChangeableLimit<?>> limiters = Collections.newSetFromMap(new WeakHashMap<>());
    private final Map<String, OfPrefix> byPrefix = new HashMap<>(2);
    private @Nullable LimitChange warnedOf;
    // Above it, prefixes that nothing needs are dropped.
    private int mostPrefixes = FEW_PREFIXES;

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

    /** What limiters of one prefix share. */
    private static final class OfPrefix {
        private final PermitsOwner owner = new PermitsOwner();
        private @Nullable LimiterCounters counters;
        private @Nullable KnownBans bans;
        // Strong, because the bans of a plan are those of its limit.
        private @Nullable NamedLimit ofPermits;
        private @Nullable Double rate;
    }

    private OfPrefix of(String prefix) {
        return byPrefix.computeIfAbsent(prefix, same -> new OfPrefix());
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

    synchronized void checkOwner(LimiterId id) {
        of(id.prefix()).owner.check(name, id);
    }

    synchronized void checkStateType(LimiterId id) {
        of(id.prefix()).owner.checkStateType(id);
    }

    /** The known bans of its permits, whatever the plan. */
    private synchronized KnownBans bans(String prefix) {
        OfPrefix ofPrefix = of(prefix);
        if (ofPrefix.bans == null) {
            ofPrefix.bans = all.newBans();
        }
        return ofPrefix.bans;
    }

    void add(ChangeableLimit<?> limiter, NamedLimit ofPermits, LimiterId id) {
        // Before the monitor of this is held; observers learn of new counters.
        KnownBans bans = ofPermits.bans(id.prefix());
        LimiterCounters counters = all.countersOf(this, id.prefix());
        OptionsInUse options = id.options();
        ShownLimit shown = new ShownLimit(
                options.namespace(), options.hashTag(), id.limit(), options.policy(), options.ban(), options.live());
        synchronized (this) {
            of(id.prefix()).ofPermits = ofPermits;
            boolean areOwn = areOwn(counters, id.prefix());
            if (areOwn) {
                counters.plan(options.plan());
                counters.bans(bans);
            }
            counters.prefetch(options.prefetch());
            limiter.setBan(options.ban(), bans);
            limiter.setCounters(options.listeners() ? counters : counters.quiet());
            limiter.setName(this, ofPermits, areOwn ? shown : null, options.live());
            limiters.add(limiter);
            limiter.built(nextBuild());
            LimitChange change = live;
            apply(limiter, change, true);
            if (change != null && limiter.isLive()) {
                warnIfUnfit(limiter, change);
            }
        }
    }

    @Nullable
    synchronized LimiterCounters counters(String prefix) {
        return of(prefix).counters;
    }

    synchronized void setCounters(String prefix, LimiterCounters counters) {
        of(prefix).counters = counters;
        keepIfNeeded();
        if (byPrefix.size() > mostPrefixes) {
            dropPrefixes(prefix);
        }
    }

    synchronized int prefixes() {
        return byPrefix.size();
    }

    /** Callers may choose prefixes, and only so many have counters of their own. */
    private void dropPrefixes(String added) {
        Set<String> used = new HashSet<>();
        used.add(added);
        limiters.forEach(limiter -> used.add(limiter.prefix()));
        byPrefix.entrySet()
                .removeIf(each -> each.getValue().rate == null
                        && !areOwn(each.getValue().counters, each.getKey())
                        && !used.contains(each.getKey()));
        mostPrefixes = Math.max(FEW_PREFIXES, 2 * byPrefix.size());
    }

    /** Whether they are not those that many names share. */
    private boolean areOwn(@Nullable LimiterCounters counters, String prefix) {
        return counters != null
                && counters.prefix().equals(prefix)
                && counters.name().equals(name);
    }

    /** The number of the next build of one of its limiters. */
    long nextBuild() {
        long number = builds.incrementAndGet();
        builtSince = true;
        return number;
    }

    long lastBuild() {
        return builds.get();
    }

    /** Sets the rate of the limiters of a prefix, from the next decisions on. */
    public synchronized void setRate(String prefix, double permitsPerSecond) {
        of(prefix).rate = permitsPerSecond;
        keepIfNeeded();
        for (ChangeableLimit<?> limiter : limiters) {
            apply(limiter, live, limiter.prefix().equals(prefix));
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
        if (live != null
                || keys != null
                || byPrefix.entrySet().stream()
                        .anyMatch(each ->
                                each.getValue().rate != null || areOwn(each.getValue().counters, each.getKey()))) {
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
        if (of(limiter.prefix()).rate != null) {
            limiter.counters().rateSet();
        }
        limiter.change(
                change != null && limiter.isLive() && change.concerns(own) && problem(own, change) == null
                        ? change.over(own, limiter.builtEngine())
                        : new EffectiveLimit<>(own, limiter.builtEngine()));
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
        Double rate = of(limiter.prefix()).rate;
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
