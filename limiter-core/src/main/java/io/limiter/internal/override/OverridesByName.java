package io.limiter.internal.override;

import com.google.common.collect.MapMaker;
import io.limiter.internal.key.SipHash;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What changes the limiters of a factory after they were built, by name. Safe for use by many threads. */
public final class OverridesByName {

    /** Weak: limiters hold theirs, and without limiters they are kept only if they change something. */
    private final ConcurrentMap<String, Overrides> byName =
            new MapMaker().weakValues().makeMap();

    private final ConcurrentMap<String, KeyOverrides> keysByName =
            new MapMaker().weakValues().makeMap();
    private final Set<Object> kept = ConcurrentHashMap.newKeySet();
    private volatile SipHash hash = new SipHash("");

    /** Those of a name, also if they change nothing yet. */
    public Overrides of(String name) {
        return byName.computeIfAbsent(name, key -> new Overrides(key, kept));
    }

    /** Those of the keys of a name, also if they change nothing yet. */
    public KeyOverrides keysOf(String name) {
        return keysByName.computeIfAbsent(name, key -> new KeyOverrides(key, kept, () -> hash));
    }

    /** Sets the hash of keys that are stored hashed. */
    public void hash(SipHash newHash) {
        hash = newHash;
    }
}
