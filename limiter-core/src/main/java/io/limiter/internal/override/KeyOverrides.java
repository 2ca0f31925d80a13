package io.limiter.internal.override;

import io.limiter.internal.key.SipHash;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What changes the limits of single keys of the limiters of one name. Safe for use by many threads. */
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
     * @param key its keys as text, or the hash of that
     * @param change {@code null} for none
     * @param untilEndMicros how long it lasts
     */
    public synchronized void live(
            String key, boolean isHash, @Nullable LimitChange change, LongSupplier untilEndMicros) {
        KeyTable<KeyOverride> changed = table == null ? new KeyTable<>(hash) : table;
        changed.put(key, isHash, change == null ? null : new KeyOverride(name, change, untilEndMicros));
        if (changed.isEmpty()) {
            table = null;
            kept.remove(this);
        } else {
            table = changed;
            kept.add(this);
        }
    }
}
