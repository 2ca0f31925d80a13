package io.limiter.spring.internal.actuate;

import io.limiter.Decision.Source;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
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
 * @param bansInEffect the 100 longest of those known here, of keys or their hashes, whatever their plan; {@code null} in the list of
 *     all limits
 * @param hottestKeys keys or their hashes; {@code null} in the list of all limits
 * @param rejectedKeys the keys with the most rejections, or their hashes; {@code null} in the list of all limits
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
        @Nullable KeyDescription own) {

    /**
     * @param key as {@link io.limiter.live.LiveKey#value()}, or its hash
     * @param endsIn in seconds
     */
    record BannedKey(String key, double endsIn) {}

    /** @param key as {@link io.limiter.live.LiveKey#value()}, or its hash */
    record HotKey(String key, long requests) {}

    /**
     * Counts by the names of sources, without those that are 0.
     *
     * @param local whether the backend is this process
     */
    static Map<String, Long> counts(ToLongFunction<Source> count, boolean local) {
        Map<String, Long> counts = new TreeMap<>();
        for (Source source : Source.values()) {
            if (count.applyAsLong(source) > 0) {
                counts.merge(SourceNames.of(source, local), count.applyAsLong(source), Long::sum);
            }
        }
        return counts;
    }
}
