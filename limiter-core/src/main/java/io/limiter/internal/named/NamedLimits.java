package io.limiter.internal.named;

import com.google.common.base.Ticker;
import com.google.common.collect.MapMaker;
import io.limiter.LimiterTotals;
import io.limiter.internal.key.SipHash;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
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

    /** Those that are needed without limiters, because they count or change something. */
    private final Set<NamedLimit> kept = ConcurrentHashMap.newKeySet();

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

    /** That of a name, also if it has no limiters yet. */
    public NamedLimit of(String name) {
        return byName.computeIfAbsent(name, same -> new NamedLimit(same, this));
    }

    /**
     * Adds a new limiter. Not to be called with two at a time that have the same identity.
     *
     * @throws IllegalArgumentException if its permits or its name are those of a limit of another kind, or of another plan
     */
    public void add(ChangeableLimit<?> limiter, LimiterId id) {
        NamedLimit ofPermits = of(id.name());
        // First, so that a plan of another kind takes no name.
        ofPermits.checkOwner(id);
        NamedLimit named = ofPermits;
        if (id.options().plan() != null) {
            named = of(id.reportedName());
            named.checkOwner(id);
        }
        ofPermits.checkStateType(id);
        named.add(limiter, ofPermits, id);
    }

    /** Sets the hash of keys that live limits store hashed. */
    public void hash(SipHash newHash) {
        hash = newHash;
    }

    SipHash hash() {
        return hash;
    }

    void keep(NamedLimit needed) {
        kept.add(needed);
    }

    void release(NamedLimit limit) {
        kept.remove(limit);
    }

    KnownBans newBans() {
        return new KnownBans(ticker);
    }

    /** The counters of a prefix of a name. Further names share one, because callers may choose names. */
    synchronized LimiterCounters countersOf(NamedLimit named, String prefix) {
        LimiterCounters known = named.counters(prefix);
        if (known != null) {
            return known;
        }
        boolean own = counters.size() < mostCounters;
        LimiterCounters rest = own ? null : others;
        LimiterCounters found = rest != null
                ? rest
                : new LimiterCounters(
                        own ? prefix : "", own ? named.name() : LimiterTotals.OTHER, observer, notifier, ticker);
        if (own) {
            counters.add(found);
        } else {
            others = found;
        }
        named.setCounters(prefix, found);
        if (rest == null) {
            observer.limiterAdded(found);
        }
        return found;
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
