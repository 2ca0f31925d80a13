package io.limiter.live;

import io.limiter.live.LimitReport.HotKey;
import io.limiter.live.LimitReport.Rate;
import io.limiter.live.LimitReport.RejectedKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The reports of a limit, added up over all instances. */
final class LimitReportSum {

    private static final int HOTTEST = 10;

    private LimitReportSum() {}

    /** The sums by prefix and name. */
    static List<LimitReport> of(Collection<InstanceReport> instances) {
        Map<List<String>, LimitReport> sums = new TreeMap<>(
                Comparator.<List<String>, String>comparing(id -> id.get(0)).thenComparing(id -> id.get(1)));
        instances.stream()
                .sorted(Comparator.comparingLong(InstanceReport::liveVersion).reversed())
                .flatMap(instance -> instance.limits().stream())
                .forEach(limit -> sums.merge(List.of(limit.prefix(), limit.name()), limit, LimitReportSum::of));
        return List.copyOf(sums.values());
    }

    private static LimitReport of(LimitReport one, LimitReport other) {
        Map<String, Long> sources = new TreeMap<>(one.bySource());
        other.bySource().forEach((source, count) -> sources.merge(source, count, Long::sum));
        Map<String, Long> keys = new TreeMap<>();
        one.hottest().forEach(key -> keys.merge(key.key(), key.requests(), Long::sum));
        other.hottest().forEach(key -> keys.merge(key.key(), key.requests(), Long::sum));
        Map<Instant, Rate> rates = new TreeMap<>(one.past());
        other.past().forEach((start, rate) -> rates.merge(start, rate, Rate::plus));
        List<HotKey> hottest = new ArrayList<>();
        keys.forEach((key, requests) -> hottest.add(HotKey.of(key, requests)));
        hottest.sort(Comparator.comparingLong(HotKey::requests).reversed().thenComparing(HotKey::key));
        Map<String, RejectedKey> rejections = new TreeMap<>();
        Stream.concat(one.rejectedKeys().stream(), other.rejectedKeys().stream())
                .forEach(key -> rejections.merge(key.key(), key, LimitReportSum::of));
        return LimitReport.of(
                one.prefix(),
                one.name(),
                one.limiter(),
                one.kind(),
                one.limit(),
                one.settings(),
                one.granted() + other.granted(),
                one.rejected() + other.rejected(),
                one.errors() + other.errors(),
                one.waits() + other.waits(),
                one.waited().plus(other.waited()),
                sources,
                hottest.subList(0, Math.min(HOTTEST, hottest.size())),
                rejections.values().stream()
                        .sorted(Comparator.comparingLong(RejectedKey::rejections)
                                .reversed())
                        .limit(HOTTEST)
                        .toList(),
                one.notApplied().isEmpty() ? other.notApplied() : one.notApplied(),
                rates);
    }

    private static RejectedKey of(RejectedKey one, RejectedKey other) {
        return RejectedKey.of(
                one.key(),
                one.rejections() + other.rejections(),
                Stream.concat(one.last().stream(), other.last().stream())
                        .sorted(Comparator.reverseOrder())
                        .limit(Math.max(one.last().size(), other.last().size()))
                        .toList());
    }
}
