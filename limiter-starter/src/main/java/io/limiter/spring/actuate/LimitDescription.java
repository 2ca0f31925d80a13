package io.limiter.spring.actuate;

import io.limiter.LimiterTotals;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.Limit;
import io.limiter.spring.metrics.SourceNames;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One limit.
 *
 * @param kind such as {@code TokenBucket}
 * @param numbers all numbers of the limit, see {@link LimitNumbers}
 * @param granted how many requests were granted, by source; only sources that did
 * @param refused how many requests were refused, by source; only sources that did
 * @param errors how many requests had no decision
 * @param hottestKeys {@code null} where all limits are listed
 * @param own what the limit's own permits are, which have no key; {@code null} where all limits are listed, and if there is
 *     no answer
 */
public record LimitDescription(
        String prefix,
        String name,
        @Nullable String kind,
        @Nullable Map<String, Object> numbers,
        Map<String, Long> granted,
        Map<String, Long> refused,
        long errors,
        @Nullable List<HotKeyDescription> hottestKeys,
        @Nullable KeyDescription own) {

    /**
     * A key that many ask for.
     *
     * @param key as it is, or its {@link KeyHash}
     * @param requests about how many in the last minutes
     */
    public record HotKeyDescription(String key, long requests) {}

    static LimitDescription of(LimiterTotals totals, boolean local) {
        return describe(totals, local, null, null);
    }

    /**
     * @param shown how a key is shown
     */
    static LimitDescription withKeys(
            LimiterTotals totals, boolean local, UnaryOperator<String> shown, @Nullable KeyDescription own) {
        return describe(
                totals,
                local,
                totals.hottestKeys().stream()
                        .map(hot -> new HotKeyDescription(shown.apply(hot.key()), hot.requests()))
                        .toList(),
                own);
    }

    private static LimitDescription describe(
            LimiterTotals totals, boolean local, @Nullable List<HotKeyDescription> keys, @Nullable KeyDescription own) {
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
                limit == null ? null : LimitNumbers.of(limit),
                granted,
                refused,
                totals.errors(),
                keys,
                own);
    }

    private static void put(Map<String, Long> counts, String source, long count) {
        if (count > 0) {
            counts.merge(source, count, Long::sum);
        }
    }
}
