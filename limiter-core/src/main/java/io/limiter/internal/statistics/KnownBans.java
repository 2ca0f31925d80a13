package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.internal.key.KeySpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bans of a limit that this JVM knows, whatever the plan: up to {@value #MOST}, those that end last, and not those of keys
 * longer than {@value KeySpace#MAX_KEY_LENGTH} characters, because callers decide how many and how long they are. Safe for use by
 * many threads.
 */
public final class KnownBans {

    static final int MOST = 1000;

    private static final long SECOND_NANOS = 1_000_000_000;

    /** 1,000 days, as the longest ban. Longer is never, which holds only for as many permits. */
    private static final long LONGEST_MICROS = 86_400_000_000L * 1000;

    private final ConcurrentHashMap<Key, Row> byKey = new ConcurrentHashMap<>();
    // Guarded by the monitor of this.
    private final TreeSet<Row> byEnd = new TreeSet<>();
    private final Ticker ticker;

    KnownBans(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The key of a ban; see {@link KeyBan}. */
    public record Key(
            String key, List<String> path, @Nullable String hashTag) {

        private int length() {
            return path.stream().mapToInt(String::length).sum();
        }
    }

    private record Row(Key key, long endNanos, long retryNanos) implements Comparable<Row> {

        /** By difference, because the time of a ticker may overflow. */
        @Override
        public int compareTo(Row other) {
            int byEnd = Long.signum(endNanos - other.endNanos);
            return byEnd != 0 ? byEnd : key.toString().compareTo(other.key.toString());
        }
    }

    /**
     * Records a ban.
     *
     * @param retryMicros until the ban and the limit may grant again
     * @param local whether it is one of the local fallback, which hides no longer one of the backend
     */
    public void put(Key key, long leftMicros, long retryMicros, boolean local) {
        long now = ticker.read();
        long end = now + leftMicros * 1000;
        long retry = now + Math.max(leftMicros, retryMicros > LONGEST_MICROS ? 0 : retryMicros) * 1000;
        Row known = byKey.get(key);
        if (known != null ? isSame(known, end, retry, local) : key.length() > KeySpace.MAX_KEY_LENGTH) {
            return;
        }
        synchronized (this) {
            remove(byKey.get(key));
            Row row = new Row(key, end, retry);
            byKey.put(key, row);
            byEnd.add(row);
            if (byEnd.size() > MOST) {
                remove(byEnd.first());
            }
        }
    }

    private static boolean isSame(Row known, long end, long retry, boolean local) {
        long later = end - known.endNanos;
        return local && later < 0
                || Math.abs(later) <= SECOND_NANOS && Math.abs(retry - known.retryNanos) <= SECOND_NANOS;
    }

    /** Until the ban and the limit may grant again, as it was recorded last; 0 if unknown. */
    public long retryMicros(Key key) {
        Row known = byKey.get(key);
        return known == null ? 0 : Math.max(0, known.retryNanos - ticker.read() + 999) / 1000;
    }

    /** The key is not banned. */
    public void remove(Key key) {
        if (byKey.containsKey(key)) {
            synchronized (this) {
                remove(byKey.get(key));
            }
        }
    }

    private void remove(@Nullable Row row) {
        if (row != null) {
            byKey.remove(row.key);
            byEnd.remove(row);
        }
    }

    public boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** Those that last longest first. */
    List<KeyBan> inEffect() {
        long now = ticker.read();
        List<KeyBan> bans = new ArrayList<>();
        byKey.forEach((key, row) -> {
            long left = row.endNanos - now;
            if (left > 0) {
                bans.add(new KeyBan(key.key, key.path, key.hashTag, Duration.ofNanos(left)));
            }
        });
        bans.sort(Comparator.comparing(KeyBan::left).reversed().thenComparing(KeyBan::key));
        return List.copyOf(bans);
    }
}
