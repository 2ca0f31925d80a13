package io.limiter.internal.local;

import io.limiter.internal.log.AsyncLog;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The states of all keys, at most a maximum number of them. Beyond it, each new key inspects a constant number of keys, drawn at
 * random, and evicts those that have expired, or else the one that is full again soonest.
 *
 * <p>Locks are taken in this order: the locks of keys by their names, then the one of the places.
 */
final class KeyStates {

    /** How many keys one eviction compares: the probability that it evicts none of the first half is 1 in 256. */
    static final int INSPECTED = 8;

    /** How many evictions there are at most for one new key, so that the map shrinks again if one finds nothing. */
    static final int EVICTIONS = 2;

    private static final int FEWEST_PLACES = 16;

    private static final AsyncLog log = AsyncLog.of(KeyStates.class);

    private static final long WARNING_INTERVAL_MICROS = 60_000_000;

    private final ConcurrentHashMap<String, KeyState> byKey = new ConcurrentHashMap<>();
    private final Object placesLock = new Object();
    private final AtomicLong quietUntilMicros = new AtomicLong();
    private final int maxKeys;
    private final IntUnaryOperator random;
    // Both are written under placesLock.
    private volatile @Nullable KeyState[] places = new KeyState[FEWEST_PLACES];
    private volatile int size;

    /**
     * @param random draws a number from 0 that is below its argument; what callers cannot predict, because they choose the keys
     */
    KeyStates(int maxKeys, IntUnaryOperator random) {
        this.maxKeys = maxKeys;
        this.random = random;
    }

    /** How many keys have a state. */
    int size() {
        return size;
    }

    @Nullable
    KeyState find(String key) {
        return byKey.get(key);
    }

    /** The state of a key; {@link #settle} has to follow. Once its lock is held, it may have been removed. */
    KeyState findOrAdd(String key) {
        KeyState found = byKey.get(key);
        if (found != null) {
            return found;
        }
        KeyState added = new KeyState(key);
        KeyState other = byKey.putIfAbsent(key, added);
        return other == null ? added : other;
    }

    /** Holds what has a state and removes what has none. To be called with the lock of the key. */
    void settle(KeyState held) {
        if (held.isEmpty()) {
            remove(held);
        } else if (held.isNew()) {
            synchronized (placesLock) {
                @Nullable KeyState[] all = places;
                if (size == all.length) {
                    all = Arrays.copyOf(all, 2 * size);
                    places = all;
                }
                held.place = size;
                all[size] = held;
                size++;
            }
        }
    }

    /** Removes a key, unless it has been removed. To be called with its lock. */
    boolean remove(KeyState held) {
        if (held.isRemoved()) {
            return false;
        }
        byKey.remove(held.key, held);
        synchronized (placesLock) {
            if (held.place != KeyState.NO_PLACE) {
                @Nullable KeyState[] all = places;
                size--;
                KeyState last = all[size];
                all[size] = null;
                if (last != null && last != held) {
                    all[held.place] = last;
                    last.place = held.place;
                }
            }
            held.place = KeyState.REMOVED;
        }
        return true;
    }

    boolean isFull() {
        return size > maxKeys;
    }

    /** Makes room for one key that was added. To be called without any lock. */
    void evict(long nowMicros) {
        for (int i = 0; i < EVICTIONS && isFull(); i++) {
            evictOne(nowMicros);
        }
    }

    /** Removes all that have expired, and the places that they needed. To be called without any lock. */
    void dropExpired(long nowMicros) {
        for (KeyState each : byKey.values()) {
            // Read without the lock first, because the key may be in use.
            if (each.hasExpired(nowMicros)) {
                removeExpired(each, nowMicros);
            }
        }
        synchronized (placesLock) {
            if (places.length > FEWEST_PLACES && size < places.length / 4) {
                places = Arrays.copyOf(places, Math.max(FEWEST_PLACES, 2 * size));
            }
        }
    }

    private void evictOne(long nowMicros) {
        boolean removed = false;
        KeyState soonest = null;
        for (int i = 0; i < INSPECTED; i++) {
            KeyState drawn = draw();
            if (drawn == null) {
                continue;
            }
            // Read without the lock, because the key may be in use: at worst another one is evicted.
            if (drawn.hasExpired(nowMicros)) {
                removed |= removeExpired(drawn, nowMicros);
            } else if (soonest == null || drawn.fullAtMicros() < soonest.fullAtMicros()) {
                soonest = drawn;
            }
        }
        if (!removed && soonest != null) {
            evict(soonest, nowMicros);
        }
    }

    private @Nullable KeyState draw() {
        @Nullable KeyState[] all = places;
        int bound = Math.min(size, all.length);
        return bound == 0 ? null : all[random.applyAsInt(bound)];
    }

    private boolean removeExpired(KeyState drawn, long nowMicros) {
        drawn.lock.lock();
        try {
            return drawn.hasExpired(nowMicros) && remove(drawn);
        } finally {
            drawn.lock.unlock();
        }
    }

    private void evict(KeyState soonest, long nowMicros) {
        soonest.lock.lock();
        try {
            if (soonest.isEvictable() && remove(soonest) && soonest.fullAtMicros() > nowMicros) {
                warn(nowMicros);
            }
        } finally {
            soonest.lock.unlock();
        }
    }

    private void warn(long nowMicros) {
        long quietUntil = quietUntilMicros.get();
        if (nowMicros >= quietUntil
                && quietUntilMicros.compareAndSet(quietUntil, nowMicros + WARNING_INTERVAL_MICROS)) {
            log.warn(
                    "More than {} keys are in use; those that would be full again soonest are evicted, so their callers have all permits again. Raise"
                            + " limiter.local.max-keys, or maxKeys of the factory. Logged once a minute at most.",
                    maxKeys);
        }
    }
}
