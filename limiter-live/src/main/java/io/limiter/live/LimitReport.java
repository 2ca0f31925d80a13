package io.limiter.live;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an instance reports about the limiters of one prefix and name. Totals count since the instance was started.
 */
public final class LimitReport {

    private static final int HOTTEST = 10;

    private final String prefix;
    private final String name;
    private final String limiter;
    private final String kind;
    private final String limit;
    private final LiveSettings settings;
    private final long granted;
    private final long rejected;
    private final long errors;
    private final long waits;
    private final Duration waited;
    private final Map<String, Long> bySource;
    private final List<HotKey> hottest;
    private final List<RejectedKey> rejectedKeys;
    private final String notApplied;
    private final Map<Instant, Rate> past;

    private LimitReport(
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
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.name = Objects.requireNonNull(name, "name");
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.kind = Objects.requireNonNull(kind, "kind");
        this.limit = Objects.requireNonNull(limit, "limit");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.granted = granted;
        this.rejected = rejected;
        this.errors = errors;
        this.waits = waits;
        this.waited = Objects.requireNonNull(waited, "waited");
        this.bySource = Map.copyOf(bySource);
        this.hottest = List.copyOf(hottest);
        this.rejectedKeys = List.copyOf(rejectedKeys);
        this.notApplied = Objects.requireNonNull(notApplied, "notApplied");
        this.past = Collections.unmodifiableMap(new TreeMap<>(past));
    }

    /** With these values. Applications need it in tests only. */
    public static LimitReport of(
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
        return new LimitReport(
                prefix,
                name,
                limiter,
                kind,
                limit,
                settings,
                granted,
                rejected,
                errors,
                waits,
                waited,
                bySource,
                hottest,
                rejectedKeys,
                notApplied,
                past);
    }

    /** The prefix of their keys. */
    public String prefix() {
        return prefix;
    }

    /** The name of the limiters. */
    public String name() {
        return name;
    }

    /**
     * The name of the limit whose permits they take: for a plan that of its limit. Live limits of keys are put under
     * it.
     */
    public String limiter() {
        return limiter;
    }

    /** As {@link LiveKind#toString()}; the class of a limit of your own; empty if unknown. */
    public String kind() {
        return kind;
    }

    /** The definition in effect, as text. */
    public String limit() {
        return limit;
    }

    /** The definition in effect, as a live limit would set it. */
    public LiveSettings settings() {
        return settings;
    }

    /** Number of requests granted. */
    public long granted() {
        return granted;
    }

    /** Number of requests rejected. */
    public long rejected() {
        return rejected;
    }

    /** Number of requests that failed. */
    public long errors() {
        return errors;
    }

    /** Number of requests whose caller waited for permits. */
    public long waits() {
        return waits;
    }

    /** How long they waited, in all. */
    public Duration waited() {
        return waited;
    }

    /** Number of requests decided by each {@link io.limiter.Decision.Source}. */
    public Map<String, Long> bySource() {
        return bySource;
    }

    /** Keys with the most requests, the hottest first; hashed unless {@link LiveOptions#showKeys()}. */
    public List<HotKey> hottest() {
        return hottest;
    }

    /** Keys with the most rejections in the last minutes, that with the most first; hashed as {@code hottest}. */
    public List<RejectedKey> rejectedKeys() {
        return rejectedKeys;
    }

    /** Why the live limit could not be applied; empty if it was, or there is none. */
    public String notApplied() {
        return notApplied;
    }

    /** Rates of the last ten minutes by the start of each step of 20 s, in order; empty in most reports. */
    public Map<Instant, Rate> past() {
        return past;
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
     */
    public static final class HotKey {

        private final String key;
        private final long requests;

        private HotKey(String key, long requests) {
            this.key = Objects.requireNonNull(key, "key");
            this.requests = requests;
        }

        /** With these values. Applications need it in tests only. */
        public static HotKey of(String key, long requests) {
            return new HotKey(key, requests);
        }

        /** The key of a caller as {@link LiveKey#value()}, or its hash. */
        public String key() {
            return key;
        }

        /** Estimated number of requests in the last minutes. */
        public long requests() {
            return requests;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof HotKey that && key.equals(that.key) && requests == that.requests;
        }

        @Override
        public int hashCode() {
            return Objects.hash(key, requests);
        }

        @Override
        public String toString() {
            return "HotKey[key=" + key + ", requests=" + requests + "]";
        }
    }

    /**
     * A key with many rejections.
     */
    public static final class RejectedKey {

        private final String key;
        private final long rejections;
        private final List<Instant> last;

        private RejectedKey(String key, long rejections, List<Instant> last) {
            this.key = Objects.requireNonNull(key, "key");
            this.rejections = rejections;
            this.last = List.copyOf(last);
        }

        /** With these values. Applications need it in tests only. */
        public static RejectedKey of(String key, long rejections, List<Instant> last) {
            return new RejectedKey(key, rejections, last);
        }

        /** The key of a caller as {@link LiveKey#value()}, or its hash. */
        public String key() {
            return key;
        }

        /** Estimated number of rejections in the last minutes. */
        public long rejections() {
            return rejections;
        }

        /** When some of the last were, by server time, the newest first. */
        public List<Instant> last() {
            return last;
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

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RejectedKey that
                    && key.equals(that.key)
                    && rejections == that.rejections
                    && last.equals(that.last);
        }

        @Override
        public int hashCode() {
            return Objects.hash(key, rejections, last);
        }

        @Override
        public String toString() {
            return "RejectedKey[key=" + key + ", rejections=" + rejections + ", last=" + last + "]";
        }
    }

    /**
     * What happened in a while.
     */
    public static final class Rate {

        private final double granted;
        private final double rejected;

        private Rate(double granted, double rejected) {
            this.granted = granted;
            this.rejected = rejected;
        }

        /** With these values. Applications need it in tests only. */
        public static Rate of(double granted, double rejected) {
            return new Rate(granted, rejected);
        }

        /** Granted requests per second. */
        public double granted() {
            return granted;
        }

        /** Rejected requests per second. */
        public double rejected() {
            return rejected;
        }

        /** The sum of both. */
        public Rate plus(Rate other) {
            return new Rate(granted + other.granted, rejected + other.rejected);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rate that
                    && Double.compare(granted, that.granted) == 0
                    && Double.compare(rejected, that.rejected) == 0;
        }

        @Override
        public int hashCode() {
            return Objects.hash(granted, rejected);
        }

        @Override
        public String toString() {
            return "Rate[granted=" + granted + ", rejected=" + rejected + "]";
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LimitReport that
                && prefix.equals(that.prefix)
                && name.equals(that.name)
                && limiter.equals(that.limiter)
                && kind.equals(that.kind)
                && limit.equals(that.limit)
                && settings.equals(that.settings)
                && granted == that.granted
                && rejected == that.rejected
                && errors == that.errors
                && waits == that.waits
                && waited.equals(that.waited)
                && bySource.equals(that.bySource)
                && hottest.equals(that.hottest)
                && rejectedKeys.equals(that.rejectedKeys)
                && notApplied.equals(that.notApplied)
                && past.equals(that.past);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                prefix,
                name,
                limiter,
                kind,
                limit,
                settings,
                granted,
                rejected,
                errors,
                waits,
                waited,
                bySource,
                hottest,
                rejectedKeys,
                notApplied,
                past);
    }

    @Override
    public String toString() {
        return "LimitReport[prefix=" + prefix + ", name=" + name + ", limiter=" + limiter + ", kind=" + kind
                + ", limit=" + limit + ", settings=" + settings + ", granted=" + granted + ", rejected=" + rejected
                + ", errors=" + errors + ", waits=" + waits + ", waited=" + waited + ", bySource=" + bySource
                + ", hottest=" + hottest + ", rejectedKeys=" + rejectedKeys + ", notApplied=" + notApplied + ", past="
                + past + "]";
    }
}
