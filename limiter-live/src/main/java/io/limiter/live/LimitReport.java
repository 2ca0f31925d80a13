package io.limiter.live;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an instance reports about the limiters of one prefix and name. Totals count since the instance was started.
 *
 * @param prefix of their keys
 * @param name of the limiters
 * @param limiter the name of the limit whose permits they take: for a plan that of its limit. Live limits of keys are put under it
 * @param kind as {@link LiveKind#toString()}; the class of a limit of your own; empty if unknown
 * @param limit the definition in effect, as text
 * @param settings the definition in effect, as a live limit would set it
 * @param granted number of requests granted
 * @param rejected number of requests rejected
 * @param errors number of requests that failed
 * @param waits number of requests whose caller waited for permits
 * @param waited how long they waited, in all
 * @param bySource number of requests decided by each {@link io.limiter.Decision.Source}
 * @param hottest keys with the most requests, the hottest first; hashed unless {@link LiveOptions#showKeys()}
 * @param rejectedKeys keys with the most rejections in the last minutes, that with the most first; hashed as {@code hottest}
 * @param notApplied why the live limit could not be applied; empty if it was, or there is none
 * @param past rates of the last ten minutes by the start of each step of 20 s, in order; empty in most reports
 */
public record LimitReport(
        String prefix,
        String name,
        String limiter,
        String kind,
        String limit,
        LiveSettings settings,
        long granted,
        long rejected,
        long errors,
        long waits,
        Duration waited,
        Map<String, Long> bySource,
        List<HotKey> hottest,
        List<RejectedKey> rejectedKeys,
        String notApplied,
        Map<Instant, Rate> past) {

    private static final int HOTTEST = 10;

    public LimitReport {
        bySource = Map.copyOf(bySource);
        hottest = List.copyOf(hottest);
        rejectedKeys = List.copyOf(rejectedKeys);
        past = Collections.unmodifiableMap(new TreeMap<>(past));
    }

    /** The plan of the limiters; empty for none. */
    public String plan() {
        return name.equals(limiter) ? "" : name.substring(limiter.length() + 1);
    }

    /** The sums over all instances, by prefix and name. The definition is that of the report with the newest version. */
    public static List<LimitReport> sum(Collection<InstanceReport> instances) {
        Map<List<String>, LimitReport> sums = new TreeMap<>(
                Comparator.<List<String>, String>comparing(id -> id.get(0)).thenComparing(id -> id.get(1)));
        instances.stream()
                .sorted(Comparator.comparingLong(InstanceReport::liveVersion).reversed())
                .flatMap(instance -> instance.limits().stream())
                .forEach(limit -> sums.merge(List.of(limit.prefix, limit.name), limit, LimitReport::plus));
        return List.copyOf(sums.values());
    }

    private LimitReport plus(LimitReport other) {
        Map<String, Long> sources = new TreeMap<>(bySource);
        other.bySource.forEach((source, count) -> sources.merge(source, count, Long::sum));
        Map<String, Long> keys = new TreeMap<>();
        hottest.forEach(key -> keys.merge(key.key(), key.requests(), Long::sum));
        other.hottest.forEach(key -> keys.merge(key.key(), key.requests(), Long::sum));
        Map<Instant, Rate> rates = new TreeMap<>(past);
        other.past.forEach((start, rate) -> rates.merge(start, rate, Rate::plus));
        List<HotKey> hottestOfBoth = new ArrayList<>();
        keys.forEach((key, requests) -> hottestOfBoth.add(new HotKey(key, requests)));
        hottestOfBoth.sort(Comparator.comparingLong(HotKey::requests).reversed().thenComparing(HotKey::key));
        Map<String, RejectedKey> rejections = new TreeMap<>();
        Stream.concat(rejectedKeys.stream(), other.rejectedKeys.stream())
                .forEach(key -> rejections.merge(key.key(), key, RejectedKey::plus));
        return new LimitReport(
                prefix,
                name,
                limiter,
                kind,
                limit,
                settings,
                granted + other.granted,
                rejected + other.rejected,
                errors + other.errors,
                waits + other.waits,
                waited.plus(other.waited),
                sources,
                hottestOfBoth.subList(0, Math.min(HOTTEST, hottestOfBoth.size())),
                rejections.values().stream()
                        .sorted(Comparator.comparingLong(RejectedKey::rejections)
                                .reversed())
                        .limit(HOTTEST)
                        .toList(),
                notApplied.isEmpty() ? other.notApplied : notApplied,
                rates);
    }

    /**
     * A key with many requests.
     *
     * @param key of a caller as {@link LiveKey#value()}, or its hash
     * @param requests estimated number of requests in the last minutes
     */
    public record HotKey(String key, long requests) {}

    /**
     * A key with many rejections.
     *
     * @param key of a caller as {@link LiveKey#value()}, or its hash
     * @param rejections estimated number of rejections in the last minutes
     * @param last when some of the last were, by server time, the newest first
     */
    public record RejectedKey(String key, long rejections, List<Instant> last) {

        public RejectedKey {
            last = List.copyOf(last);
        }

        private RejectedKey plus(RejectedKey other) {
            return new RejectedKey(
                    key,
                    rejections + other.rejections,
                    Stream.concat(last.stream(), other.last.stream())
                            .sorted(Comparator.reverseOrder())
                            .limit(Math.max(last.size(), other.last.size()))
                            .toList());
        }
    }

    /**
     * What happened in a while.
     *
     * @param granted requests per second
     * @param rejected requests per second
     */
    public record Rate(double granted, double rejected) {

        /** The sum of both. */
        public Rate plus(Rate other) {
            return new Rate(granted + other.granted, rejected + other.rejected);
        }
    }
}
