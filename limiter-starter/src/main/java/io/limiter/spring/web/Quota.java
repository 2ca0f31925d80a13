package io.limiter.spring.web;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One limit in the fields {@code RateLimit-Policy} and {@code RateLimit} of draft-ietf-httpapi-ratelimit-headers-10.
 *
 * @param policy the name of the limit for callers
 * @param capacity the most permits at once
 * @param window in seconds, rounded up; {@code null} if the limit has none
 * @param concurrent whether permits are held and not spent
 * @param rejected whether the limit rejected
 * @param remaining {@code null} if unknown
 * @param resetSeconds retry-after of a rejection, otherwise full-after, rounded up; {@code null} if unknown or never
 */
record Quota(
        String policy,
        long capacity,
        @Nullable Long window,
        boolean concurrent,
        boolean rejected,
        @Nullable Long remaining,
        @Nullable Long resetSeconds) {

    /** The largest integer of structured fields. */
    private static final long LARGEST = 999_999_999_999_999L;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /**
     * The quota of a limit that decided.
     *
     * @param decision {@code null} if the limit granted and nothing else is known
     */
    static Quota of(String policy, Limit<?> limit, @Nullable Decision decision) {
        boolean concurrent = limit instanceof ConcurrencyLimit;
        long capacity = decision == null ? limit.capacity() : decision.limit();
        boolean rejected = decision != null && !decision.granted();
        return new Quota(
                policy,
                capacity,
                window(limit),
                concurrent,
                rejected,
                decision == null ? null : remaining(decision),
                decision == null ? null : resetSeconds(decision, concurrent));
    }

    /** Unknown if the failure policy decided without a state. */
    private static @Nullable Long remaining(Decision decision) {
        boolean known = decision.source() != Decision.Source.POLICY;
        return known ? Long.valueOf(decision.remaining()) : decision.granted() ? null : Long.valueOf(0);
    }

    /** In seconds, as in {@code Retry-After}; {@code null} if granted or never. */
    static @Nullable Long retryAfter(Decision decision) {
        return decision.retryAfterSeconds().isPresent()
                ? Long.valueOf(decision.retryAfterSeconds().getAsLong())
                : null;
    }

    private static @Nullable Long resetSeconds(Decision decision, boolean concurrent) {
        if (!decision.granted()) {
            return retryAfter(decision);
        }
        // Leases may be released at any time.
        boolean known = !concurrent
                && decision.source() != Decision.Source.POLICY
                && decision.fullAfterMicros() != Decision.NEVER_MICROS;
        return known ? Long.valueOf(roundedUp(decision.fullAfterMicros())) : null;
    }

    private static @Nullable Long window(Limit<?> limit) {
        if (limit instanceof TokenBucket bucket) {
            return bucket.warmUp() == null
                    ? wholeSeconds(Math.max(bucket.burstSeconds(), bucket.minCapacity() / bucket.permitsPerSecond()))
                    : wholeSeconds(bucket.warmUp().period());
        }
        if (limit instanceof FixedWindow window) {
            return wholeSeconds(window.period());
        }
        if (limit instanceof SlidingLog log) {
            return wholeSeconds(log.period());
        }
        return limit instanceof SlidingCounter counter ? wholeSeconds(counter.period()) : null;
    }

    private static long wholeSeconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() == 0 ? 0 : 1);
    }

    /** To the microsecond, because 11 permits at 11/60 per second take 60.000000000000007 s as doubles. */
    private static long wholeSeconds(double seconds) {
        return Math.max(1, roundedUp(Math.round(seconds * MICROS_PER_SECOND)));
    }

    private static long roundedUp(long micros) {
        return micros / MICROS_PER_SECOND + (micros % MICROS_PER_SECOND == 0 ? 0 : 1);
    }

    /** The same without a reset after that time, as {@code Retry-After} must not be before it. */
    Quota withoutResetAfter(long retryAfterSeconds) {
        return resetSeconds == null || resetSeconds <= retryAfterSeconds
                ? this
                : new Quota(policy, capacity, window, concurrent, rejected, remaining, null);
    }

    /** A member of {@code RateLimit-Policy}. */
    String policyMember() {
        return FieldString.of(policy)
                + ";q=" + integer(capacity)
                + (concurrent ? ";qu=\"concurrent-requests\"" : "")
                + (window == null ? "" : ";w=" + integer(window));
    }

    /** A member of {@code RateLimit}; {@code null} if the remaining permits are unknown, because a member must have them. */
    @Nullable
    String limitMember() {
        return remaining == null
                ? null
                : FieldString.of(policy)
                        + ";r=" + integer(remaining)
                        + (resetSeconds == null ? "" : ";t=" + integer(resetSeconds));
    }

    private static long integer(long value) {
        return Math.max(0, Math.min(value, LARGEST));
    }
}
