package io.limiter.engine;

import io.limiter.FailurePolicy;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.Limit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One {@link Tally} for each prefix and name. They outlive limiters, which a factory drops when nobody asks for them, so
 * their number is bounded: further names are counted together.
 */
final class Tallies {

    static final int MAX = 10_000;

    private final ConcurrentHashMap<Id, Tally> byId = new ConcurrentHashMap<>();
    private final EngineObserver observer;
    private final Notices notices;
    private final int max;
    private volatile @Nullable Tally other;

    Tallies(EngineObserver observer, Notices notices) {
        this(observer, notices, MAX);
    }

    Tallies(EngineObserver observer, Notices notices, int max) {
        this.observer = observer;
        this.notices = notices;
        this.max = max;
    }

    /** Where a limiter's decisions are counted that is built now. */
    Tally of(String prefix, String name, Limit<?> limit, FailurePolicy policy) {
        Tally known = byId.get(new Id(prefix, name));
        Tally tally = known == null ? add(prefix, name) : known;
        if (tally != other) {
            tally.limit(limit);
            tally.failurePolicy(policy);
        }
        return tally;
    }

    private synchronized Tally add(String prefix, String name) {
        Id id = new Id(prefix, name);
        Tally known = byId.get(id);
        if (known != null) {
            return known;
        }
        if (byId.size() < max) {
            Tally added = new Tally(prefix, name, observer, notices);
            byId.put(id, added);
            observer.limiterAdded(added);
            return added;
        }
        Tally rest = other;
        if (rest == null) {
            rest = new Tally("", LimiterTotals.OTHER, observer, notices);
            other = rest;
            observer.limiterAdded(rest);
        }
        return rest;
    }

    List<LimiterTotals> all() {
        List<LimiterTotals> all = new ArrayList<>(byId.values());
        Tally rest = other;
        if (rest != null) {
            all.add(rest);
        }
        all.sort(Comparator.comparing(LimiterTotals::prefix).thenComparing(LimiterTotals::name));
        return List.copyOf(all);
    }

    private record Id(String prefix, String name) {}
}
