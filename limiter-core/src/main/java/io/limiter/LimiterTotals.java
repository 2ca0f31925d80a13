package io.limiter;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts the decisions of all limiters of one prefix and name in this JVM, since their factory was built.
 *
 * <p>Every request for permits counts. Peeks, refunds, charges, prefetches and renewals of leases do not. If a {@link LimitSet} is granted, each
 * part counts as granted, and if it is rejected, only the parts that reject count. Reading is cheap, and counting continues while you read.
 */
public interface LimiterTotals {

    /** The name of the entry that counts all further limiters once there are too many names. */
    String OTHER = "other";

    /** The namespace of the limiter that was built last, or an empty text if it has none. */
    default String namespace() {
        return "";
    }

    /** The prefix of their keys in the backend. */
    String prefix();

    /** The name of the limiters, which is {@link #planName} if they were built for a plan. */
    String name();

    /** The plan, if the limiters were built {@linkplain LimiterOptions#withPlan for one}. */
    default Optional<String> plan() {
        return Optional.empty();
    }

    /** The name of the limit whose permits the limiters take. It is their own, or for a plan the name of its limit. */
    default String limiter() {
        int plan = plan().map(each -> each.length() + 1).orElse(0);
        return name().substring(0, name().length() - plan);
    }

    /** The name of a plan of a limit, with a dot as in configuration: {@code search.pro}. */
    static String planName(String limiter, String plan) {
        return Objects.requireNonNull(limiter, "limiter") + "." + Objects.requireNonNull(plan, "plan");
    }

    /** The name of the limit whose permits the limiters of a name take. It is the same name, or for a plan the name of its limit. */
    static String limiterOf(String name, Collection<LimiterTotals> totals) {
        Objects.requireNonNull(name, "name");
        return Objects.requireNonNull(totals, "totals").stream()
                .filter(each -> each.name().equals(name))
                .map(LimiterTotals::limiter)
                // Under another prefix the name may be that of a limit.
                .max(Comparator.comparingInt(String::length))
                .orElse(name);
    }

    /** The limit that was built or set last. Empty for {@link #OTHER}. */
    Optional<AnyLimit> limit();

    /** The failure policy of the limiter that was built last. Empty for {@link #OTHER}. */
    Optional<FailurePolicy> failurePolicy();

    /** The hash tag of the limiter that was built last. */
    HashTag hashTag();

    /** How the limiters prefetch, as set last, if one was built {@linkplain LimiterOptions#withPrefetch to prefetch}. */
    Optional<Prefetch> prefetch();

    /** The ban of the limiter that was built last, if it was built {@linkplain LimiterOptions#withBan with one}. */
    default Optional<Ban> ban() {
        return Optional.empty();
    }

    /** When the limiter that was built last warns, if it was built {@linkplain LimiterOptions#withWarnAt to}, with listeners. */
    default Optional<Share> warnAt() {
        return Optional.empty();
    }

    /** The number of bans that began with a rejection counted in this JVM. */
    default long bans() {
        return 0;
    }

    /** The number of warnings that a request of this JVM caused. See {@link LimiterOptions#withWarnAt}. */
    default long warnings() {
        return 0;
    }

    /** The number of further ones, which were not reported because 10,000 others waited for slow listeners. */
    default long droppedWarnings() {
        return 0;
    }

    /**
     * Up to 1,000 bans in effect that have rejected a request in this JVM or began in it, the longest first. A ban belongs to a key of the limit,
     * so the limiters of all its {@linkplain #plan plans} have the same bans. Empty if {@link #ban} is empty.
     */
    default List<KeyBan> bansInEffect() {
        return List.of();
    }

    /** Whether {@link RateLimiter#setRate} has set the rate. */
    default boolean isRateSet() {
        return false;
    }

    /** The number of requests granted by this source. */
    long granted(Decision.Source source);

    /** The number of requests rejected by this source. */
    long rejected(Decision.Source source);

    /** The number of requests that failed with a {@link LimiterBackendException}. */
    long errors();

    /**
     * The number of requests whose caller waited for permits, whether or not it got them. A wait counts when it ends. The wait for a
     * {@link LimitSet} counts for the part that waits longest.
     */
    default long waits() {
        return 0;
    }

    /** How long those callers waited in total. */
    default Duration waited() {
        return Duration.ZERO;
    }

    /**
     * The keys with the most requests in the last minutes, the hottest first. This is an estimate: if there are many keys, one may be missing or
     * may have had more requests than are shown here, but no key is here that was requested once while others were requested often.
     */
    List<HotKey> hottestKeys();

    /** The keys with the most rejections in the last minutes, the most rejected first. An estimate, like {@link #hottestKeys}. */
    default List<RejectedKey> rejectedKeys() {
        return List.of();
    }

    /** The number of granted requests, of all sources. */
    default long granted() {
        long sum = 0;
        for (Decision.Source source : Decision.Source.values()) {
            sum += granted(source);
        }
        return sum;
    }

    /** The number of rejected requests, of all sources. */
    default long rejected() {
        long sum = 0;
        for (Decision.Source source : Decision.Source.values()) {
            sum += rejected(source);
        }
        return sum;
    }

    /** The ban of a key. */
    final class KeyBan {

        private final List<String> keys;
        private final Duration left;

        private KeyBan(List<String> keys, Duration left) {
            keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
            Objects.requireNonNull(left, "left");

            this.keys = keys;
            this.left = left;
        }

        /** One of these values. */
        public static KeyBan of(List<String> keys, Duration left) {
            return new KeyBan(keys, left);
        }

        /** The keys of the {@linkplain Limiter#keys() key path}, usually one. */
        public List<String> keys() {
            return keys;
        }

        /** The time until the ban ends. */
        public Duration left() {
            return left;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || other instanceof KeyBan that && keys.equals(that.keys) && left.equals(that.left);
        }

        @Override
        public int hashCode() {
            int hash = keys.hashCode();
            hash = 31 * hash + left.hashCode();
            return hash;
        }

        @Override
        public String toString() {
            return "KeyBan[keys=" + keys + ", left=" + left + "]";
        }
    }

    /** A key with many requests. */
    final class HotKey {

        private final List<String> keys;
        private final long requests;

        private HotKey(List<String> keys, long requests) {
            keys = List.copyOf(Objects.requireNonNull(keys, "keys"));

            this.keys = keys;
            this.requests = requests;
        }

        /** One of these values. */
        public static HotKey of(List<String> keys, long requests) {
            return new HotKey(keys, requests);
        }

        /** The keys of the {@linkplain Limiter#keys() key path}, together truncated to 128 characters. */
        public List<String> keys() {
            return keys;
        }

        /** The estimated number of requests. Those of the last minute count in full, those of the minute before count half, and so on. */
        public long requests() {
            return requests;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || other instanceof HotKey that && keys.equals(that.keys) && requests == that.requests;
        }

        @Override
        public int hashCode() {
            int hash = keys.hashCode();
            hash = 31 * hash + Long.hashCode(requests);
            return hash;
        }

        @Override
        public String toString() {
            return "HotKey[keys=" + keys + ", requests=" + requests + "]";
        }
    }

    /** A key with many rejections. */
    final class RejectedKey {

        private final List<String> keys;
        private final long rejections;
        private final List<Duration> ago;

        private RejectedKey(List<String> keys, long rejections, List<Duration> ago) {
            keys = List.copyOf(Objects.requireNonNull(keys, "keys"));

            this.keys = keys;
            this.rejections = rejections;
            this.ago = ago;
        }

        /** One of these values. */
        public static RejectedKey of(List<String> keys, long rejections, List<Duration> ago) {
            return new RejectedKey(keys, rejections, ago);
        }

        /** As in {@link HotKey}. */
        public List<String> keys() {
            return keys;
        }

        /** The estimated number of rejections, counted like {@link HotKey#requests}. */
        public long rejections() {
            return rejections;
        }

        /** How long ago the last five rejections were, the newest first. After 256 rejections in a minute, only one in 64 is recorded. */
        public List<Duration> ago() {
            return ago;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || other instanceof RejectedKey that
                            && keys.equals(that.keys)
                            && rejections == that.rejections
                            && ago.equals(that.ago);
        }

        @Override
        public int hashCode() {
            int hash = keys.hashCode();
            hash = 31 * hash + Long.hashCode(rejections);
            hash = 31 * hash + ago.hashCode();
            return hash;
        }

        @Override
        public String toString() {
            return "RejectedKey[keys=" + keys + ", rejections=" + rejections + ", ago=" + ago + "]";
        }
    }
}
