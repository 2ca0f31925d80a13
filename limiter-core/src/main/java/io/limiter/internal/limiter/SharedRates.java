package io.limiter.internal.limiter;

import com.google.common.collect.MapMaker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The rates that were set, by prefix and name. Safe for use by many threads. */
final class SharedRates {

    /** Weak: limiters hold theirs, and one without limiters is kept only if its rate was set. */
    private final ConcurrentMap<Id, SharedRate> byId =
            new MapMaker().weakValues().makeMap();

    private final Set<SharedRate> set = ConcurrentHashMap.newKeySet();

    SharedRate of(String prefix, String name) {
        return byId.computeIfAbsent(new Id(prefix, name), id -> new SharedRate(set));
    }

    private record Id(String prefix, String name) {}
}
