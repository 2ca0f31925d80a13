package io.limiter.internal.live.override;

import com.google.common.collect.MapMaker;
import io.limiter.live.LiveSettings;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What changes the limiters of a factory after they were built, by name. Safe for use by many threads. */
public final class OverridesByName {

    /** Weak: limiters hold theirs, and without limiters they are kept only if they change something. */
    private final ConcurrentMap<String, Overrides> byName =
            new MapMaker().weakValues().makeMap();

    private final Set<Overrides> kept = ConcurrentHashMap.newKeySet();

    public Overrides of(String name) {
        return byName.computeIfAbsent(name, key -> new Overrides(key, kept));
    }

    /**
     * Applies a live limit from the next decisions on.
     *
     * @param settings {@link LiveSettings#NONE} for none
     */
    public void live(String name, LiveSettings settings) {
        Overrides known = settings.equals(LiveSettings.NONE) ? byName.get(name) : of(name);
        if (known != null) {
            known.live(settings);
        }
    }

    /**
     * @throws IllegalArgumentException if a live limit does not fit the limiters of a name
     */
    public void check(String name, LiveSettings settings) {
        of(name).check(settings);
    }

    /** Why the live limit could not be applied; empty if it was, or there is none. */
    public String notApplied(String prefix, String name) {
        Overrides known = byName.get(name);
        return known == null ? "" : known.notApplied(prefix);
    }
}
