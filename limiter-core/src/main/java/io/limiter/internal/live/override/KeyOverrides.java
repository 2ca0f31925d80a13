package io.limiter.internal.live.override;

import io.limiter.internal.key.SipHash;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveSettings;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The live limits of single keys of the limiters of one name. Safe for use by many threads. */
public final class KeyOverrides {

    private final String name;
    private final Set<Object> kept;
    private final Supplier<SipHash> hash;
    // Null while there are none, so that a decision pays nothing for them.
    private volatile @Nullable KeyTable<KeyOverride> table;

    /** @param kept holds those that change something */
    KeyOverrides(String name, Set<Object> kept, Supplier<SipHash> hash) {
        this.name = name;
        this.kept = kept;
        this.hash = hash;
    }

    @Nullable
    KeyOverride of(String key) {
        KeyTable<KeyOverride> known = table;
        return known == null ? null : known.get(key);
    }

    /**
     * Applies from the next decision on.
     *
     * @param settings {@link LiveSettings#NONE} for none
     * @param untilEndMicros how long they last
     */
    public synchronized void live(LiveKey key, LiveSettings settings, LongSupplier untilEndMicros) {
        KeyTable<KeyOverride> changed = table == null ? new KeyTable<>(hash) : table;
        changed.put(key, settings.isEmpty() ? null : new KeyOverride(name, settings, untilEndMicros));
        if (changed.isEmpty()) {
            table = null;
            kept.remove(this);
        } else {
            table = changed;
            kept.add(this);
        }
    }
}
