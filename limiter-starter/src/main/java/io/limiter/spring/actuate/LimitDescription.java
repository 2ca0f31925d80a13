package io.limiter.spring.actuate;

import io.limiter.LimiterTotals;
import io.limiter.LimiterTotals.HotKey;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.Limit;
import io.limiter.spring.metrics.SourceNames;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit and its statistics.
 *
 * @param kind such as {@code TokenBucket}
 * @param definition see {@link LimitDefinition}
 * @param definedBy where its parameters come from: {@code live}, {@code setRate}, the prefix of its settings, {@code annotation},
 *     or {@code code}
 * @param live the {@link io.limiter.live.LiveLimit} of its name; {@code null} if it has none
 * @param granted how many requests were granted, by source
 * @param rejected how many requests were rejected, by source
 * @param errors how many requests had no decision
 * @param bans how many bans of keys have begun here
 * @param bansInEffect the 100 longest of those known here, of keys or their hashes; {@code null} in the list of all limits
 * @param hottestKeys keys or their hashes; {@code null} in the list of all limits
 * @param rejectedKeys the keys with the most rejections, or their hashes; {@code null} in the list of all limits
 * @param liveKeys the newest 100 live limits of keys; {@code null} in the list of all limits
 * @param own the permits without a key; {@code null} in the list of all limits, and while Redis is unavailable
 */
public record LimitDescription(
        String prefix,
        String name,
        @Nullable String kind,
        @Nullable Map<String, @Nullable Object> definition,
        String definedBy,
        @Nullable Map<String, @Nullable Object> live,
        Map<String, Long> granted,
        Map<String, Long> rejected,
        long errors,
        long bans,
        @Nullable List<BannedKey> bansInEffect,
        @Nullable List<HotKey> hottestKeys,
        @Nullable List<Rejections> rejectedKeys,
        @Nullable List<Map<String, @Nullable Object>> liveKeys,
        @Nullable KeyDescription own) {

    /** @param endsIn in seconds */
    record BannedKey(String key, double endsIn) {}

    /** @param local whether the backend is this process */
    static LimitDescription of(
            LimiterTotals totals,
            String definedBy,
            @Nullable Map<String, @Nullable Object> live,
            boolean local,
            @Nullable List<BannedKey> banned,
            @Nullable List<HotKey> keys,
            @Nullable List<Rejections> rejectedKeys,
            @Nullable KeyDescription own,
            @Nullable List<Map<String, @Nullable Object>> liveKeys) {
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
                        : LimitDefinition.of(
                                limit,
                                totals.prefetch().orElse(null),
                                totals.ban().orElse(null)),
                definedBy,
                live,
                granted,
                rejected,
                totals.errors(),
                totals.bans(),
                banned,
                keys,
                rejectedKeys,
                liveKeys,
                own);
    }

    private static void put(Map<String, Long> counts, String source, long count) {
        if (count > 0) {
            counts.merge(source, count, Long::sum);
        }
    }
}
