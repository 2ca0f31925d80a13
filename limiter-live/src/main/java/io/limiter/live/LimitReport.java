package io.limiter.live;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The report of an instance about the limiters of one prefix and name. Totals count since the instance was started.
 */
public final class LimitReport {

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

    /** Creates one with these values, which applications need only in tests. */
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
     * The name of the limit whose permits they take, which for a plan is the name of its limit. Live limits of keys are stored under it.
     */
    public String limiter() {
        return limiter;
    }

    /** As {@link io.limiter.algorithm.LimitKind}, or the class of a limit of your own, or empty if unknown. */
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

    /** How long they waited in total. */
    public Duration waited() {
        return waited;
    }

    /** Number of requests decided by each {@link io.limiter.Decision.Source}. */
    public Map<String, Long> bySource() {
        return bySource;
    }

    /** Keys with the most requests, the hottest first. They are hashed unless {@link LiveOptions#showKeys()}. */
    public List<HotKey> hottest() {
        return hottest;
    }

    /** Keys with the most rejections in the last minutes, the most rejected first. They are hashed like {@code hottest}. */
    public List<RejectedKey> rejectedKeys() {
        return rejectedKeys;
    }

    /** Why the live limit could not be applied. Empty if it was applied, or if there is none. */
    public String notApplied() {
        return notApplied;
    }

    /** Rates of the last ten minutes by the start of each step of 20 s, in order. Empty in most reports. */
    public Map<Instant, Rate> past() {
        return past;
    }

    /** The plan of the limiters, or an empty text for none. */
    public String plan() {
        return name.equals(limiter) ? "" : name.substring(limiter.length() + 1);
    }

    /** The sums over all instances, by prefix and name. The definition is that of the report with the newest version. */
    public static List<LimitReport> sum(Collection<InstanceReport> instances) {
        return LimitReportSum.of(instances);
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

        /** Creates one with these values, which applications need only in tests. */
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

        /** Creates one with these values, which applications need only in tests. */
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

        /** When some of the last rejections were, in server time, the newest first. */
        public List<Instant> last() {
            return last;
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
     * Rates of decisions over some time.
     */
    public static final class Rate {

        private final double granted;
        private final double rejected;

        private Rate(double granted, double rejected) {
            this.granted = granted;
            this.rejected = rejected;
        }

        /** Creates one with these values, which applications need only in tests. */
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

    private List<Object> values() {
        return List.of(
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
    public boolean equals(@Nullable Object other) {
        return other instanceof LimitReport that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /** The values in the order of their accessors. */
    @Override
    public String toString() {
        return "LimitReport" + values();
    }
}
