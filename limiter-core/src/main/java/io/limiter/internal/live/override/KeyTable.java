package io.limiter.internal.live.override;

import io.limiter.internal.key.SipHash;
import io.limiter.live.LiveKey;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values of single keys, which are found by the key or by its hash. A lookup takes no lock. Safe for use by many threads.
 *
 * @param <V> the type of the values
 */
public final class KeyTable<V> {

    private final ConcurrentHashMap<String, V> plain = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, V> hashed = new ConcurrentHashMap<>();
    private final Supplier<SipHash> hash;
    // Computing a hash costs more than the lookup.
    private volatile boolean hasHashed;

    /** @param hash of the keys, for hashed ones */
    public KeyTable(Supplier<SipHash> hash) {
        this.hash = hash;
    }

    public @Nullable V get(String key) {
        V found = plain.get(key);
        return found != null || !hasHashed ? found : hashed.get(hash.get().of(key));
    }

    /** @param value {@code null} for none */
    public void put(LiveKey key, @Nullable V value) {
        if (key.hashed()) {
            put(hashed, HexFormat.fromHexDigitsToLong(key.value()), value);
            hasHashed = !hashed.isEmpty();
        } else {
            put(plain, key.value(), value);
        }
    }

    private static <K, V> void put(ConcurrentHashMap<K, V> map, K key, @Nullable V value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }

    public boolean isEmpty() {
        return !hasHashed && plain.isEmpty();
    }
}
