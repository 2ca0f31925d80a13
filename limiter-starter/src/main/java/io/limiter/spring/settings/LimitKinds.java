package io.limiter.spring.settings;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.TokenBucketBuilder;
import io.limiter.algorithm.WarmUp;
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

    private static final List<Kind> ALL = List.of(
            new Kind(
                    TOKEN_BUCKET,
                    Set.of("rate", "burst", "warm-up", "timeout", "expire", "prefetch-permits", "prefetch-time"),
                    LimitKinds::tokenBucket),
            new Kind(FIXED_WINDOW, Set.of("limit", "period", "zone"), LimitKinds::fixedWindow),
            new Kind(
                    "sliding-log",
                    Set.of("limit", "period"),
                    numbers -> new SlidingLog(needed("limit", numbers.limit()), needed("period", numbers.period()))),
            new Kind(
                    "sliding-counter",
                    Set.of("limit", "period"),
                    numbers ->
                            new SlidingCounter(needed("limit", numbers.limit()), needed("period", numbers.period()))),
            new Kind(
                    "leaky-bucket",
                    Set.of("limit", "rate"),
                    numbers -> LeakyBucket.meter(needed("limit", numbers.limit()), needed("rate", numbers.rate()))),
            new Kind(
                    "leaky-queue",
                    Set.of("limit", "rate"),
                    numbers -> LeakyBucket.queue(needed("rate", numbers.rate()), needed("limit", numbers.limit()))),
            new Kind(
                    CONCURRENT,
                    Set.of("limit", "lease", "timeout"),
                    numbers ->
                            new ConcurrencyLimit(needed("limit", numbers.limit()), needed("lease", numbers.lease()))));

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

    /** @throws IllegalArgumentException if a limit would never grant as many permits */
    public static void checkCanBeGranted(int permits, Limit<?> limit) {
        TokenBucket bucket = limit instanceof TokenBucket found ? found : null;
        long timeout = bucket == null ? 0 : bucket.timeoutMicros();
        // What an unused limit rejects, it always rejects.
        if (limit.step(null, 0, new Request(permits, timeout, true)).decision().granted()) {
            return;
        }
        throw new IllegalArgumentException("permits " + permits + " would never be granted: "
                + (bucket == null
                        ? limit + " has at most " + limit.capacity()
                        : "rate " + bucket.permitsPerSecond() + "/s with a burst of " + bucket.burstSeconds()
                                + " s holds at most " + bucket.maxPermits() + " permits, and timeout "
                                + bucket.timeout() + " is too short to wait for the rest; burst must be at least "
                                + permits / bucket.permitsPerSecond() + " s"));
    }

    private static Limit<?> tokenBucket(LimitSettings settings) {
        double rate = needed("rate", settings.rate());
        if (settings.warmUp() != null && settings.burst() != null) {
            throw new IllegalArgumentException(
                    "burst has no effect with warm-up " + settings.warmUp() + ", leave one of them out");
        }
        Duration timeout = settings.timeout() == null ? Duration.ZERO : settings.timeout();
        Duration maxWait = timeout.compareTo(TokenBucket.DEFAULT_MAX_WAIT) > 0 ? timeout : TokenBucket.DEFAULT_MAX_WAIT;
        TokenBucketBuilder builder = settings.warmUp() == null
                ? TokenBucket.builder(rate, settings.burst() == null ? 1.0 : settings.burst())
                : TokenBucket.builder(rate, new WarmUp(settings.warmUp()));
        builder.timeout(timeout).maxWait(maxWait);
        if (settings.expire() != null) {
            builder.expire(settings.expire());
        }
        if (settings.prefetchPermits() != null && settings.prefetchPermits() != 0) {
            Duration prefetchTime = settings.prefetchTime() == null ? Duration.ofSeconds(1) : settings.prefetchTime();
            builder.lease(settings.prefetchPermits(), prefetchTime);
        }
        return builder.build();
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
