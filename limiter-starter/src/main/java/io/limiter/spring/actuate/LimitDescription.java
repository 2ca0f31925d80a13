package io.limiter.spring.actuate;

import io.limiter.LimiterTotals;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.Limit;
import io.limiter.spring.metrics.SourceNames;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One limit.
 *
 * @param kind such as {@code TokenBucket}
 * @param numbers all numbers of the limit
 * @param granted how many requests were granted, by source; only sources that did
 * @param refused how many requests were refused, by source; only sources that did
 * @param errors how many requests had no decision
 * @param hottestKeys {@code null} where all limits are listed
 */
public record LimitDescription(
        String prefix,
        String name,
        @Nullable String kind,
        @Nullable String numbers,
        Map<String, Long> granted,
        Map<String, Long> refused,
        long errors,
        @Nullable List<HotKeyDescription> hottestKeys) {

    private static final int HASH_BYTES = 8;

    /**
     * A key that many ask for.
     *
     * @param key as it is, or the first 16 hex digits of its SHA-256
     * @param requests about how many in the last minutes
     */
    public record HotKeyDescription(String key, long requests) {}

    static LimitDescription of(LimiterTotals totals, boolean local) {
        return describe(totals, local, null);
    }

    static LimitDescription withKeys(LimiterTotals totals, boolean local, boolean showKeys) {
        return describe(
                totals,
                local,
                totals.hottestKeys().stream()
                        .map(hot -> new HotKeyDescription(showKeys ? hot.key() : hash(hot.key()), hot.requests()))
                        .toList());
    }

    private static LimitDescription describe(
            LimiterTotals totals, boolean local, @Nullable List<HotKeyDescription> keys) {
        Map<String, Long> granted = new TreeMap<>();
        Map<String, Long> refused = new TreeMap<>();
        for (Source source : Source.values()) {
            put(granted, SourceNames.of(source, local), totals.granted(source));
            put(refused, SourceNames.of(source, local), totals.refused(source));
        }
        Limit<?> limit = totals.limit().orElse(null);
        return new LimitDescription(
                totals.prefix(),
                totals.name(),
                limit == null ? null : limit.getClass().getSimpleName(),
                limit == null ? null : limit.toString(),
                granted,
                refused,
                totals.errors(),
                keys);
    }

    private static void put(Map<String, Long> counts, String source, long count) {
        if (count > 0) {
            counts.merge(source, count, Long::sum);
        }
    }

    private static String hash(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            // Every JVM has it.
            throw new IllegalStateException(e);
        }
    }
}
