package io.limiter.internal.named;

import io.limiter.internal.key.SipHash;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values of single keys, which are found by the key or by its hash. A lookup takes no lock and allocates nothing. Safe for use by many
 * threads.
 *
 * @param <V> the type of the values
 */
public final class KeyTable<V> {

    private static final int SMALLEST = 64;

    private final ConcurrentHashMap<String, V> plain = new ConcurrentHashMap<>();
    private final Supplier<SipHash> hash;
    // Indexed by the low bits of the hash. Null while it is empty, because computing a hash costs more than the lookup.
    // A map would box the hash.
    private volatile @Nullable AtomicReferenceArray<@Nullable Node<V>> hashed;
    // Guarded by the monitor of this.
    private int hashedKeys;

    /** @param hash of the keys, for hashed ones */
    public KeyTable(Supplier<SipHash> hash) {
        this.hash = hash;
    }

    private record Node<V>(long hash, V value, @Nullable Node<V> next) {}

    public @Nullable V get(String key) {
        V found = plain.get(key);
        AtomicReferenceArray<@Nullable Node<V>> table = hashed;
        return found != null || table == null ? found : find(table, hash.get().of(key));
    }

    private static <V> @Nullable V find(AtomicReferenceArray<@Nullable Node<V>> table, long hash) {
        Node<V> node = table.get(place(table, hash));
        while (node != null && node.hash != hash) {
            node = node.next;
        }
        return node == null ? null : node.value;
    }

    private static int place(AtomicReferenceArray<?> table, long hash) {
        return (int) hash & table.length() - 1;
    }

    /**
     * @param key or its hash, 16 hexadecimal digits
     * @param value {@code null} for none
     */
    public synchronized void put(String key, boolean isHash, @Nullable V value) {
        if (isHash) {
            put(HexFormat.fromHexDigitsToLong(key), value);
        } else if (value == null) {
            plain.remove(key);
        } else {
            plain.put(key, value);
        }
    }

    private void put(long keyHash, @Nullable V value) {
        AtomicReferenceArray<@Nullable Node<V>> table = hashed == null ? new AtomicReferenceArray<>(SMALLEST) : hashed;
        int place = place(table, keyHash);
        Node<V> others = null;
        for (Node<V> node = table.get(place); node != null; node = node.next) {
            if (node.hash == keyHash) {
                hashedKeys--;
            } else {
                others = new Node<>(node.hash, node.value, others);
            }
        }
        if (value != null) {
            hashedKeys++;
        }
        table.set(place, value == null ? others : new Node<>(keyHash, value, others));
        hashed = hashedKeys == 0 ? null : hashedKeys > table.length() ? twiceAsLarge(table) : table;
    }

    private static <V> AtomicReferenceArray<@Nullable Node<V>> twiceAsLarge(
            AtomicReferenceArray<@Nullable Node<V>> table) {
        AtomicReferenceArray<@Nullable Node<V>> larger = new AtomicReferenceArray<>(2 * table.length());
        for (int i = 0; i < table.length(); i++) {
            for (Node<V> node = table.get(i); node != null; node = node.next) {
                int place = place(larger, node.hash);
                larger.setPlain(place, new Node<>(node.hash, node.value, larger.getPlain(place)));
            }
        }
        return larger;
    }

    public boolean isEmpty() {
        return hashed == null && plain.isEmpty();
    }
}
