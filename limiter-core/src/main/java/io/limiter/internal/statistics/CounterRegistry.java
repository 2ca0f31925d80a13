package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import com.google.common.collect.MapMaker;
import io.limiter.FailurePolicy;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.spi.EngineObserver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds one {@link LimiterCounters} for each prefix and name. They outlive the limiters, which a factory evicts when
 * unused, so their number is bounded: further names share one.
 */
public final class CounterRegistry {

    static final int MAX = 10_000;

    private final ConcurrentHashMap<Id, LimiterCounters> byId = new ConcurrentHashMap<>();

    /** Weak: limiters and their counters hold theirs. */
    private final ConcurrentMap<Id, KnownBans> bansById =
            new MapMaker().weakValues().makeMap();

    private final EngineObserver observer;
    private final ListenerNotifier notifier;
    private final Ticker ticker;
    private final int max;
    private volatile @Nullable LimiterCounters other;

    /** @param ticker measures waits */
    public CounterRegistry(EngineObserver observer, ListenerNotifier notifier, Ticker ticker) {
        this(observer, notifier, ticker, MAX);
    }

    CounterRegistry(EngineObserver observer, ListenerNotifier notifier, Ticker ticker, int max) {
        this.observer = observer;
        this.notifier = notifier;
        this.ticker = ticker;
        this.max = max;
    }

    /**
     * The counters of a limiter that is being built.
     *
     * @param ban of its keys; {@code null} for none
     */
    public LimiterCounters of(String prefix, String name, AnyLimit limit, FailurePolicy policy, @Nullable Ban ban) {
        LimiterCounters known = byId.get(new Id(prefix, name));
        LimiterCounters counters = known == null ? add(prefix, name) : known;
        // What a resolver chooses for one call is not shown instead of the limit that live limits change.
        if (counters != other && !counters.isShowing()) {
            counters.show(limit, policy, ban);
        }
        return counters;
    }

    /** The known bans of a limit. */
    public KnownBans bansOf(String prefix, String limiter) {
        return bansById.computeIfAbsent(new Id(prefix, limiter), id -> new KnownBans(ticker));
    }

    private synchronized LimiterCounters add(String prefix, String name) {
        Id id = new Id(prefix, name);
        LimiterCounters known = byId.get(id);
        if (known != null) {
            return known;
        }
        if (byId.size() < max) {
            LimiterCounters added = new LimiterCounters(prefix, name, observer, notifier, ticker);
            byId.put(id, added);
            observer.limiterAdded(added);
            return added;
        }
        LimiterCounters rest = other;
        if (rest == null) {
            rest = new LimiterCounters("", LimiterTotals.OTHER, observer, notifier, ticker);
            other = rest;
            observer.limiterAdded(rest);
        }
        return rest;
    }

    public List<LimiterTotals> all() {
        List<LimiterTotals> all = new ArrayList<>(byId.values());
        LimiterCounters rest = other;
        if (rest != null) {
            all.add(rest);
        }
        all.sort(Comparator.comparing(LimiterTotals::prefix).thenComparing(LimiterTotals::name));
        return List.copyOf(all);
    }

    private record Id(String prefix, String name) {}
}
