package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.internal.key.KeySpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bans in effect that this JVM knows, up to {@value #MOST}, and not those of keys longer than {@value KeySpace#MAX_KEY_LENGTH}
 * characters, because callers decide how many and how long they are. Safe for use by many threads.
 */
final class KnownBans {

    static final int MOST = 1000;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final ConcurrentHashMap<String, Long> endNanos = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private volatile long removedNanos;

    KnownBans(Ticker ticker) {
        this.ticker = ticker;
        this.removedNanos = ticker.read() - SECOND_NANOS;
    }

    void put(String key, long leftMicros) {
        long now = ticker.read();
        long end = now + leftMicros * 1000;
        Long known = endNanos.get(key);
        if (known != null ? Math.abs(end - known) > SECOND_NANOS : hasRoomFor(key, now)) {
            endNanos.put(key, end);
        }
    }

    private boolean hasRoomFor(String key, long now) {
        if (endNanos.size() >= MOST && now - removedNanos >= SECOND_NANOS) {
            removedNanos = now;
            endNanos.values().removeIf(end -> end - now <= 0);
        }
        return endNanos.size() < MOST && key.length() <= KeySpace.MAX_KEY_LENGTH;
    }

    void remove(String key) {
        if (!endNanos.isEmpty()) {
            endNanos.remove(key);
        }
    }

    /** Those that last longest first. */
    List<KeyBan> inEffect() {
        long now = ticker.read();
        List<KeyBan> bans = new ArrayList<>();
        endNanos.forEach((key, end) -> {
            if (end - now > 0) {
                bans.add(new KeyBan(key, Duration.ofNanos(end - now)));
            }
        });
        bans.sort(Comparator.comparing(KeyBan::left).reversed().thenComparing(KeyBan::key));
        return List.copyOf(bans);
    }
}
