package io.limiter.internal.named;

import com.google.common.base.Ticker;
import com.google.common.collect.MapMaker;
import io.limiter.LimiterTotals;
import io.limiter.internal.key.SipHash;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The limits of a factory, by name. Safe for use by multiple threads. */
public final class NamedLimits {

    static final int MOST_COUNTERS = 10_000;

    /** Weak: limiters hold theirs. */
    private final ConcurrentMap<String, NamedLimit> byName =
            new MapMaker().weakValues().makeMap();

    /** Weak for the same reason; callers may choose prefixes. */
    private final ConcurrentMap<PrefixAndName, PrefixedName> byPrefixAndName =
            new MapMaker().weakValues().makeMap();

    /** The names, also with a prefix, that are needed without limiters, because they count or change something. */
    private final Set<Object> kept = ConcurrentHashMap.newKeySet();

    private final List<LimiterCounters> counters = new CopyOnWriteArrayList<>();
    private final EngineObserver observer;
    private final ListenerNotifier notifier;
    private final Ticker ticker;
    private final int mostCounters;
    private volatile @Nullable LimiterCounters others;
    private volatile SipHash hash = new SipHash("");

    /**
     * @param notifier notifies listeners of rejections
     * @param ticker measures waits and bans
     */
    public NamedLimits(EngineObserver observer, ListenerNotifier notifier, Ticker ticker) {
        this(observer, notifier, ticker, MOST_COUNTERS);
    }

    NamedLimits(EngineObserver observer, ListenerNotifier notifier, Ticker ticker, int mostCounters) {
        this.observer = observer;
        this.notifier = notifier;
        this.ticker = ticker;
        this.mostCounters = mostCounters;
    }

    private record PrefixAndName(String prefix, String name) {}

    /** The limit of a name, also if it has no limiters yet. */
    public NamedLimit of(String name) {
        return byName.computeIfAbsent(name, same -> new NamedLimit(same, this));
    }

    PrefixedName of(String prefix, String name) {
        return byPrefixAndName.computeIfAbsent(
                new PrefixAndName(prefix, name), same -> new PrefixedName(of(name), prefix, new KnownBans(ticker)));
    }

    /**
     * Adds a new limiter. Not to be called with two at a time that have the same identity.
     *
     * @throws IllegalArgumentException if its permits or its name are those of a limit of another kind, or of another plan
     */
    public void add(ChangeableLimit<?> limiter, LimiterId id) {
        PrefixedName permits = of(id.prefix(), id.name());
        // First, so that a plan of another kind takes no name.
        permits.checkOwner(id);
        PrefixedName own = permits;
        if (id.options().plan() != null) {
            own = of(id.prefix(), id.reportedName());
            own.checkOwner(id);
        }
        permits.checkStateType(id);
        own.take(permits);
        // Without the monitor of the name, because observers learn of new counters.
        setCounters(own);
        own.named().add(limiter, own, permits, id);
    }

    /** Sets the hash of keys that live limits store hashed. */
    public void hash(SipHash newHash) {
        hash = newHash;
    }

    SipHash hash() {
        return hash;
    }

    void keep(Object needed) {
        kept.add(needed);
    }

    void release(NamedLimit limit) {
        kept.remove(limit);
    }

    /** Further names share one, because callers may choose names. */
    private synchronized void setCounters(PrefixedName named) {
        if (named.counters() != null) {
            return;
        }
        boolean own = counters.size() < mostCounters;
        LimiterCounters rest = own ? null : others;
        LimiterCounters found = rest != null
                ? rest
                : new LimiterCounters(
                        own ? named.prefix() : "",
                        own ? named.named().name() : LimiterTotals.OTHER,
                        observer,
                        notifier,
                        ticker);
        if (own) {
            counters.add(found);
            keep(named);
        } else {
            others = found;
        }
        named.setCounters(found, own);
        if (rest == null) {
            observer.limiterAdded(found);
        }
    }

    /** What each prefix and name has counted, in order. */
    public List<LimiterTotals> totals() {
        List<LimiterTotals> all = new ArrayList<>(counters);
        LimiterCounters rest = others;
        if (rest != null) {
            all.add(rest);
        }
        all.sort(Comparator.comparing(LimiterTotals::prefix).thenComparing(LimiterTotals::name));
        return List.copyOf(all);
    }
}
