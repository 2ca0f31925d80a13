package io.limiter.spring.actuate;

import io.limiter.LimiterTotals;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.Limit;
import io.limiter.internal.key.KeyHash;
import io.limiter.spring.metrics.SourceNames;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A limit and its statistics.
 *
 * @param kind such as {@code TokenBucket}
 * @param definition see {@link LimitDefinition}
 * @param definedBy where its numbers come from: {@code live}, {@code setRate}, the prefix of its settings, {@code annotation},
 *     or {@code code}
 * @param live the live limit of its name; {@code null} if it has none
 * @param granted how many requests were granted, by source
 * @param rejected how many requests were rejected, by source
 * @param errors how many requests had no decision
 * @param hottestKeys {@code null} in the list of all limits
 * @param own the permits without a key; {@code null} in the list of all limits, and while Redis is unavailable
 */
public record LimitDescription(
        String prefix,
        String name,
        @Nullable String kind,
        @Nullable Map<String, Object> definition,
        String definedBy,
        LiveDescription.@Nullable OfLimit live,
        Map<String, Long> granted,
        Map<String, Long> rejected,
        long errors,
        @Nullable List<HotKeyDescription> hottestKeys,
        @Nullable KeyDescription own) {

    /**
     * A hot key.
     *
     * @param key the key or its {@link KeyHash}
     * @param requests estimate for the last minutes
     */
    public record HotKeyDescription(String key, long requests) {}

    /** Where its numbers come from, and its live limit. */
    record Origin(String definedBy, LiveDescription.@Nullable OfLimit live) {}

    static LimitDescription of(LimiterTotals totals, Origin origin, boolean local) {
        return describe(totals, origin, local, null, null);
    }

    /** @param shown returns the key or its hash */
    static LimitDescription withKeys(
            LimiterTotals totals,
            Origin origin,
            boolean local,
            UnaryOperator<String> shown,
            @Nullable KeyDescription own) {
        return describe(
                totals,
                origin,
                local,
                totals.hottestKeys().stream()
                        .map(hot -> new HotKeyDescription(shown.apply(hot.key()), hot.requests()))
                        .toList(),
                own);
    }

    private static LimitDescription describe(
            LimiterTotals totals,
            Origin origin,
            boolean local,
            @Nullable List<HotKeyDescription> keys,
            @Nullable KeyDescription own) {
        Map<String, Long> granted = new TreeMap<>();
        Map<String, Long> rejected = new TreeMap<>();
        for (Source source : Source.values()) {
            put(granted, SourceNames.of(source, local), totals.granted(source));
            put(rejected, SourceNames.of(source, local), totals.rejected(source));
        }
        Limit<?> limit = totals.limit().orElse(null);
        return new LimitDescription(
                totals.prefix(),
                totals.name(),
                limit == null ? null : limit.getClass().getSimpleName(),
                limit == null
                        ? null
                        : LimitDefinition.of(limit, totals.prefetch().orElse(null)),
                origin.definedBy,
                origin.live,
                granted,
                rejected,
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
