package io.limiter.internal.statistics;

import io.limiter.FailurePolicy;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.Limit;
import io.limiter.spi.EngineObserver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One {@link LimiterCounters} for each prefix and name. They outlive limiters, which a factory drops when nobody asks for them, so
 * their number is bounded: further names are counted together.
 */
public final class CounterRegistry {

    static final int MAX = 10_000;

    private final ConcurrentHashMap<Id, LimiterCounters> byId = new ConcurrentHashMap<>();
    private final EngineObserver observer;
    private final ListenerNotifier notices;
    private final int max;
    private volatile @Nullable LimiterCounters other;

    public CounterRegistry(EngineObserver observer, ListenerNotifier notices) {
        this(observer, notices, MAX);
    }

    public CounterRegistry(EngineObserver observer, ListenerNotifier notices, int max) {
        this.observer = observer;
        this.notices = notices;
        this.max = max;
    }

    /** Where a limiter's decisions are counted that is built now. */
    public LimiterCounters of(String prefix, String name, Limit<?> limit, FailurePolicy policy) {
        LimiterCounters known = byId.get(new Id(prefix, name));
        LimiterCounters tally = known == null ? add(prefix, name) : known;
        if (tally != other) {
            tally.limit(limit);
            tally.failurePolicy(policy);
        }
        return tally;
    }

    private synchronized LimiterCounters add(String prefix, String name) {
        Id id = new Id(prefix, name);
        LimiterCounters known = byId.get(id);
        if (known != null) {
            return known;
        }
        if (byId.size() < max) {
            LimiterCounters added = new LimiterCounters(prefix, name, observer, notices);
            byId.put(id, added);
            observer.limiterAdded(added);
            return added;
        }
        LimiterCounters rest = other;
        if (rest == null) {
            rest = new LimiterCounters("", LimiterTotals.OTHER, observer, notices);
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
