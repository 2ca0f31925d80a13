package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.key.KeyText;
import io.limiter.internal.log.LogThrottle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bans of a limit that this JVM knows, whatever the plan: up to {@value #MOST}, those that end last. They are shown unless
 * their key is longer than {@value KeySpace#MAX_KEY_LENGTH} characters. Callers decide how many and how long keys are. Safe for
 * use by many threads.
 */
public final class KnownBans {

    static final int MOST = 1000;

    private static final long SECOND_NANOS = 1_000_000_000;

    /** 1,000 days, as the longest ban. Longer is never, which holds only for as many permits. */
    private static final long LONGEST_MICROS = 86_400_000_000L * 1000;

    /** By the stored key of the ban, which is of bounded length. Changed only with the monitor of this. */
    private final ConcurrentHashMap<String, Row> byKey = new ConcurrentHashMap<>();
    // Guarded by the monitor of this.
    private final TreeSet<Row> byEnd = new TreeSet<>();
    private final Ticker ticker;
    private final LogThrottle begun;
    private final LogThrottle uncounted;

    /** When the one ends that the next would displace; {@code null} if there is room. */
    private volatile @Nullable Long firstEndNanos;

    public KnownBans(Ticker ticker) {
        this.ticker = ticker;
        this.begun = new LogThrottle(ticker);
        this.uncounted = new LogThrottle(ticker);
    }

    /** Of the log line that a ban has begun: one for all limiters of the limit. */
    public LogThrottle begun() {
        return begun;
    }

    /** Of the log line that a rejection could not be counted. */
    public LogThrottle uncounted() {
        return uncounted;
    }

    /**
     * A known ban.
     *
     * @param key its keys as text; {@code null} if they are not shown
     */
    public record Row(String storedKey, @Nullable String key, long endNanos, long retryNanos)
            implements Comparable<Row> {

        /** By difference, because the time of a ticker may overflow. */
        @Override
        public int compareTo(Row other) {
            int byEnd = Long.signum(endNanos - other.endNanos);
            return byEnd != 0 ? byEnd : storedKey.compareTo(other.storedKey);
        }
    }

    /**
     * Records a ban.
     *
     * @param storedKey that of the ban
     * @param key its keys as text
     * @param retryMicros until the ban and the limit may grant again
     * @param local whether it is one of the local fallback, which hides no longer one of the backend
     */
    public void put(String storedKey, String key, long leftMicros, long retryMicros, boolean local) {
        long now = ticker.read();
        long end = now + leftMicros * 1000;
        long retry = now + Math.max(leftMicros, retryMicros > LONGEST_MICROS ? 0 : retryMicros) * 1000;
        Row known = byKey.get(storedKey);
        if (known != null ? isSame(known, end, retry, local) : isFirstToEnd(end)) {
            return;
        }
        synchronized (this) {
            delete(byKey.get(storedKey));
            Row row = new Row(storedKey, key.length() > KeySpace.MAX_KEY_LENGTH ? null : key, end, retry);
            byKey.put(storedKey, row);
            byEnd.add(row);
            if (byEnd.size() > MOST) {
                delete(byEnd.first());
            }
            firstEndNanos = byEnd.size() < MOST ? null : byEnd.first().endNanos;
        }
    }

    /** Without the monitor, because each rejection by a ban that has no room comes here. */
    private boolean isFirstToEnd(long end) {
        Long first = firstEndNanos;
        return first != null && end - first <= 0;
    }

    private static boolean isSame(Row known, long end, long retry, boolean local) {
        long later = end - known.endNanos;
        return local && later < 0
                || Math.abs(later) <= SECOND_NANOS && Math.abs(retry - known.retryNanos) <= SECOND_NANOS;
    }

    /** Until the ban and the limit may grant again, as it was recorded last; 0 if unknown. */
    public long retryMicros(String storedKey) {
        Row known = byKey.get(storedKey);
        return known == null ? 0 : Math.max(0, known.retryNanos - ticker.read() + 999) / 1000;
    }

    /** The ban of a key; {@code null} if none is known. */
    public @Nullable Row get(String storedKey) {
        return byKey.get(storedKey);
    }

    /**
     * A ban is not in effect, unless it was recorded again since: an answer says nothing about a ban that may be younger.
     *
     * @param row what was known before the key was checked
     */
    public synchronized void remove(Row row) {
        if (row.equals(byKey.get(row.storedKey))) {
            delete(row);
        }
    }

    /** A key was reset. */
    public synchronized void reset(String storedKey) {
        delete(byKey.get(storedKey));
    }

    private void delete(@Nullable Row row) {
        if (row != null) {
            byKey.remove(row.storedKey);
            byEnd.remove(row);
            firstEndNanos = null;
        }
    }

    /** Those that last longest first. */
    List<KeyBan> inEffect() {
        long now = ticker.read();
        List<KeyBan> bans = new ArrayList<>();
        byKey.values().stream().sorted(Comparator.reverseOrder()).forEach(row -> {
            long left = row.endNanos - now;
            if (row.key != null && left > 0) {
                bans.add(KeyBan.of(KeyText.keys(row.key), Duration.ofNanos(left)));
            }
        });
        return List.copyOf(bans);
    }
}
