package io.limiter.spring.settings;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of limit that annotations and configuration can name, and how each is built from its settings. */
public final class LimitKinds {

    public static final String TOKEN_BUCKET = "token-bucket";
    public static final String FIXED_WINDOW = "fixed-window";

    /** Its permits are held and not spent, so it is for {@code @ConcurrentLimit} alone. */
    public static final String CONCURRENT = "concurrent";

    /** Its calls wait for their turn. */
    static final String LEAKY_QUEUE = "leaky-queue";

    private static final List<Kind> ALL = List.of(
            new Kind(
                    TOKEN_BUCKET,
                    Set.of(
                            "rate",
                            "per",
                            "burst",
                            "capacity",
                            "warm-up",
                            "timeout",
                            "expire",
                            "prefetch-permits",
                            "prefetch-time"),
                    LimitKinds::tokenBucket),
            new Kind(FIXED_WINDOW, Set.of("limit", "period", "zone"), LimitKinds::fixedWindow),
            new Kind(
                    "sliding-log",
                    Set.of("limit", "period"),
                    numbers -> SlidingLog.of(needed("limit", numbers.limit()), needed("period", numbers.period()))),
            new Kind(
                    "sliding-counter",
                    Set.of("limit", "period"),
                    numbers -> SlidingCounter.of(needed("limit", numbers.limit()), needed("period", numbers.period()))),
            new Kind(
                    "leaky-bucket",
                    Set.of("limit", "rate", "per"),
                    numbers -> LeakyBucket.meter(
                            needed("rate", numbers.permitsPerSecond()), needed("limit", numbers.limit()))),
            new Kind(
                    LEAKY_QUEUE,
                    Set.of("limit", "rate", "per"),
                    numbers -> LeakyBucket.queue(
                            needed("rate", numbers.permitsPerSecond()), needed("limit", numbers.limit()))),
            new Kind(
                    CONCURRENT,
                    Set.of("limit", "lease", "timeout"),
                    numbers -> ConcurrencyLimit.of(needed("limit", numbers.limit()))
                            .leaseTime(needed("lease", numbers.lease()))));

    private LimitKinds() {}

    /** @throws IllegalArgumentException if there is none of this name */
    static Kind named(String name) {
        return ALL.stream()
                .filter(kind -> kind.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind must be one of "
                        + ALL.stream().map(Kind::name).collect(Collectors.joining(", ")) + ", was '" + name + "'"));
    }

    /**
     * The limit of settings that name their kind.
     *
     * @throws IllegalArgumentException if a number is missing or out of its range
     */
    public static Limit<?> build(LimitSettings settings) {
        return build(needed("kind", settings.kind()), settings);
    }

    /** @throws IllegalArgumentException if a number is missing or out of its range */
    static Limit<?> build(String kind, LimitSettings settings) {
        return named(kind).builder().apply(settings);
    }

    /**
     * @param timeout how long a call waits for them
     * @throws IllegalArgumentException if a limit would never grant as many permits
     */
    public static void checkCanBeGranted(int permits, Limit<?> limit, Duration timeout) {
        TokenBucket bucket = limit instanceof TokenBucket found ? found : null;
        long timeoutMicros = timeout.toNanos() / 1000;
        // What an unused limit rejects, it always rejects.
        if (limit.step(null, 0, new Request(permits, timeoutMicros, true))
                .decision()
                .granted()) {
            return;
        }
        throw new IllegalArgumentException("permits " + permits + " would never be granted: "
                + (bucket == null
                        ? limit + " has at most " + limit.capacity()
                        : "rate " + bucket.permitsPerSecond() + "/s with a burst of " + bucket.burstSeconds()
                                + " s holds at most " + bucket.maxPermits() + " permits, and timeout "
                                + timeout + " is too short to wait for the rest; burst must be at least "
                                + permits / bucket.permitsPerSecond() + " s, or capacity at least " + permits));
    }

    private static Limit<?> tokenBucket(LimitSettings settings) {
        double rate = needed("rate", settings.permitsPerSecond());
        if (settings.warmUp() != null && settings.burst() != null) {
            throw new IllegalArgumentException(
                    "burst has no effect with warm-up " + settings.warmUp() + ", leave one of them out");
        }
        if (settings.warmUp() != null && settings.capacity() != null) {
            throw new IllegalArgumentException(
                    "capacity has no effect with warm-up " + settings.warmUp() + ", leave one of them out");
        }
        if (settings.burst() != null && settings.capacity() != null) {
            throw new IllegalArgumentException("capacity " + settings.capacity() + " (permits) and burst "
                    + settings.burst() + " (seconds) both say how many unused permits are kept: leave one of them out");
        }
        Duration timeout = settings.timeout() == null ? Duration.ZERO : settings.timeout();
        Duration maxWait = timeout.compareTo(TokenBucket.DEFAULT_MAX_WAIT) > 0 ? timeout : TokenBucket.DEFAULT_MAX_WAIT;
        TokenBucket bucket;
        if (settings.warmUp() != null) {
            bucket = TokenBucket.perSecond(rate).warmUp(settings.warmUp()).maxWait(maxWait);
        } else if (settings.capacity() != null) {
            bucket = TokenBucket.perSecond(rate).capacity(settings.capacity()).maxWait(maxWait);
        } else {
            double burst = burst(rate, settings);
            bucket = timeout.isZero() ? TokenBucket.of(rate, burst) : waitedFor(rate, burst, timeout, maxWait);
        }
        if (settings.expire() != null) {
            bucket = bucket.expire(settings.expire());
        }
        if (settings.prefetchPermits() != null && settings.prefetchPermits() != 0) {
            Duration prefetchTime = settings.prefetchTime() == null ? Duration.ofSeconds(1) : settings.prefetchTime();
            bucket = bucket.prefetch(settings.prefetchPermits(), prefetchTime);
        }
        return bucket;
    }

    /** It may hold less than a permit, if the timeout is long enough to wait for the rest. */
    private static TokenBucket waitedFor(double rate, double burst, Duration timeout, Duration maxWait) {
        TokenBucket bucket =
                new TokenBucket(rate, burst, 0, null, WhoWaits.CALLER, true, maxWait, TokenBucket.DEFAULT_EXPIRE, null);
        Decision first = bucket.step(null, 0, new Request(1, timeout.toNanos() / 1000, true))
                .decision();
        if (!first.granted()) {
            throw new IllegalArgumentException("rate " + rate + "/s with a burst of " + burst + " s holds at most "
                    + bucket.maxPermits() + " permits, so not one call would ever be granted with a timeout of "
                    + timeout + ": burst must be at least " + 1.0 / rate + " s, or the timeout at least "
                    + first.waitMicros() / 1e6 + " s");
        }
        return bucket;
    }

    /** A second's worth by default, and where the rate is per period, one permit if that is more. */
    private static double burst(double rate, LimitSettings settings) {
        if (settings.burst() != null) {
            return settings.burst();
        }
        return settings.per() != null && rate < 1 ? secondsForOne(rate) : 1.0;
    }

    /** Rounded up, so that a bucket holds all of it. */
    private static double secondsForOne(double rate) {
        double seconds = 1 / rate;
        return rate * seconds < 1 ? Math.nextUp(seconds) : seconds;
    }

    private static Limit<?> fixedWindow(LimitSettings settings) {
        return new FixedWindow(needed("limit", settings.limit()), needed("period", settings.period()), settings.zone());
    }

    private static <T> T needed(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " must be set");
        }
        return value;
    }

    /**
     * A kind of limit.
     *
     * @param numbers the names of the settings that it uses
     * @param builder throws IllegalArgumentException if one is missing or out of its range
     */
    record Kind(String name, Set<String> numbers, Function<LimitSettings, Limit<?>> builder) {

        /** @throws IllegalArgumentException if one of the names is not that of a number of this kind */
        void checkUses(Set<String> names) {
            for (String other : names) {
                if (!numbers.contains(other)) {
                    throw new IllegalArgumentException(other + " has no effect on kind " + name + ", which has "
                            + numbers.stream().sorted().collect(Collectors.joining(", ")));
                }
            }
        }
    }
}
