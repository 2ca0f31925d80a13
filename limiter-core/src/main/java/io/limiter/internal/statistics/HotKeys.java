package io.limiter.internal.statistics;

import com.google.common.base.Ticker;
import io.limiter.LimiterTotals.HotKey;
import io.limiter.LimiterTotals.RejectedKey;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.key.KeyText;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.stream.LongStream;

/**
 * The keys with the most requests, in bounded space: Space-Saving (Metwally, Agrawal and El Abbadi, 2005). A key
 * without a counter replaces the one with the lowest count and continues from that count. So no key with more than
 * one in {@value #COUNTERS} requests is missed. Of a count, only what the key itself has added is reported, because the rest was
 * requested for keys that it has replaced.
 *
 * <p>The first {@value #EXACT} requests of a minute are counted one by one. After them, one request in {@value #ONE_IN} is
 * counted, and it adds {@value #ONE_IN} to the count of its key. A key of which only a single request was sampled is not reported,
 * because that one may have been its only request.
 *
 * <p>All counts are halved each minute. Whether a minute has ended is checked with each report and with one request in {@value
 * #LOOK_ONE_IN}, or with one in {@value #ONE_IN} while so many requests take less than 10 ms. The times of the last counted
 * requests of each key are kept. Safe for use by multiple threads.
 */
final class HotKeys {

    static final int COUNTERS = 32;
    static final int REPORTED = 10;
    static final int LAST = 5;
    static final int EXACT = 256;
    static final int ONE_IN = 64;
    static final int LOOK_ONE_IN = 8;

    private static final int MAX_LENGTH = KeySpace.MAX_KEY_LENGTH;
    private static final long BUSY_NANOS = 10_000_000L;
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final Comparator<Map.Entry<String, Count>> BY_REQUESTS =
            Comparator.comparingLong(each -> each.getValue().requests);
    private static final Comparator<Map.Entry<String, Count>> HOTTEST_FIRST =
            Comparator.<Map.Entry<String, Count>>comparingLong(
                            each -> each.getValue().own())
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey());

    private final Ticker ticker;
    // Not synchronized: a few requests more or less counted exactly make no difference.
    private int exact = EXACT;
    // Nor is this: reading the time costs more than everything else here.
    private int lookOneIn = LOOK_ONE_IN;
    // Written under this object's monitor.
    private volatile long minuteEnds;
    // Guarded by this.
    private final Map<String, Count> counts = new HashMap<>();
    // Guarded by this.
    private long sampledNanos;

    HotKeys(Ticker ticker) {
        this.ticker = ticker;
        this.sampledNanos = ticker.read();
        this.minuteEnds = sampledNanos + MINUTE_NANOS;
    }

    /**
     * Counts a request. Nearly always allocates nothing.
     *
     * @param key the caller's keys as text
     */
    void requested(String key) {
        int left = exact;
        if (left > 0) {
            exact = left - 1;
            add(key, 1);
            return;
        }
        int random = ThreadLocalRandom.current().nextInt();
        if ((random & (lookOneIn - 1)) == 0 && ticker.read() - minuteEnds >= 0) {
            add(key, 1);
        } else if ((random & (ONE_IN - 1)) == 0) {
            add(key, ONE_IN);
        }
    }

    /** The hottest first. */
    List<HotKey> hottest() {
        return hottest((key, count) -> HotKey.of(KeyText.keys(key), count.own()));
    }

    /** The same, where only rejections are counted. */
    List<RejectedKey> rejected() {
        return hottest((key, count) -> RejectedKey.of(KeyText.keys(key), count.own(), count.ago(ticker.read())));
    }

    private synchronized <K> List<K> hottest(BiFunction<String, Count, K> reported) {
        halve();
        return counts.entrySet().stream()
                .filter(each -> each.getValue().own() > 0)
                .sorted(HOTTEST_FIRST)
                .limit(REPORTED)
                .map(each -> reported.apply(each.getKey(), each.getValue()))
                .toList();
    }

    private synchronized void add(String wholeKey, int requests) {
        long now = halve();
        if (requests == ONE_IN) {
            lookOneIn = now - sampledNanos < BUSY_NANOS ? ONE_IN : LOOK_ONE_IN;
            sampledNanos = now;
        }
        // Callers decide its length.
        String key = wholeKey.length() > MAX_LENGTH ? wholeKey.substring(0, MAX_LENGTH) : wholeKey;
        Count count = counts.get(key);
        if (count == null) {
            count = counts.size() < COUNTERS ? new Count() : removeColdest();
            counts.put(key, count);
        }
        count.add(requests, now);
    }

    private Count removeColdest() {
        Map.Entry<String, Count> coldest = Collections.min(counts.entrySet(), BY_REQUESTS);
        counts.remove(coldest.getKey());
        coldest.getValue().inherit();
        return coldest.getValue();
    }

    /** Returns the time. */
    private long halve() {
        long now = ticker.read();
        while (now - minuteEnds >= 0 && !counts.isEmpty()) {
            minuteEnds += MINUTE_NANOS;
            exact = EXACT;
            counts.values().forEach(Count::halve);
            counts.values().removeIf(count -> count.requests == 0);
        }
        if (now - minuteEnds >= 0) {
            minuteEnds = now + MINUTE_NANOS;
            exact = EXACT;
        }
        return now;
    }

    private static final class Count {
        private long requests;
        // How many of these were for keys that had the counter before.
        private long inherited;
        // How many of these the first sample of this key stands for.
        private long firstSample;
        private boolean sampledAgain;
        private final long[] last = new long[LAST];
        private long times;

        void add(int more, long now) {
            requests += more;
            if (more == ONE_IN) {
                sampledAgain |= firstSample > 0;
                firstSample = sampledAgain ? firstSample : more;
            }
            last[(int) (times++ % LAST)] = now;
        }

        /** Starts with another key. */
        void inherit() {
            inherited = requests;
            firstSample = 0;
            sampledAgain = false;
            times = 0;
        }

        /** Rounds so that no key has more than its own. */
        void halve() {
            requests /= 2;
            inherited -= inherited / 2;
            firstSample -= firstSample / 2;
        }

        /** What was requested for this key. */
        long own() {
            return requests - inherited - (sampledAgain ? 0 : firstSample);
        }

        /** How long ago the last ones were, the newest first. */
        List<Duration> ago(long now) {
            return LongStream.range(Math.max(0, times - LAST), times)
                    .mapToObj(i -> Duration.ofNanos(now - last[(int) (i % LAST)]))
                    .sorted()
                    .toList();
        }
    }
}
