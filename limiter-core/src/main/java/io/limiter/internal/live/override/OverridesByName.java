package io.limiter.internal.live.override;

import com.google.common.collect.MapMaker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What changes the limiters of a factory after they were built, by name. Safe for use by many threads. */
public final class OverridesByName {

    /** Weak: limiters hold theirs, and without limiters they are kept only if they change something. */
    private final ConcurrentMap<String, Overrides> byName =
            new MapMaker().weakValues().makeMap();

    private final Set<Overrides> kept = ConcurrentHashMap.newKeySet();

    /** Those of a name, also if they change nothing yet. */
    public Overrides of(String name) {
        return byName.computeIfAbsent(name, key -> new Overrides(key, kept));
    }
}
