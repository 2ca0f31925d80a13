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
 * The state of one limit in a response, as members of the fields {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers-10.
 *
 * @param policy the name of the limit, as callers may know it
 * @param most the most permits at once
 * @param window in seconds, rounded up; {@code null} if the limit has none
 * @param concurrent whether permits are held and not spent
 * @param rejected whether the limit rejected
 * @param remaining {@code null} if it is not known
 * @param seconds retry-after of a rejection, otherwise full-after, rounded up; {@code null} if it is not known, or never
 */
record Quota(
        String policy,
        long most,
        @Nullable Long window,
        boolean concurrent,
        boolean rejected,
        @Nullable Long remaining,
        @Nullable Long seconds) {

    /** The largest integer of structured fields. */
    private static final long LARGEST = 999_999_999_999_999L;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /**
     * The quota of a limit that decided.
     *
     * @param decision {@code null} if the limit granted and says no more
     */
    static Quota of(String policy, Limit<?> limit, @Nullable Decision decision) {
        boolean concurrent = limit instanceof ConcurrencyLimit;
        long most = decision == null ? limit.capacity() : decision.limit();
        boolean rejected = decision != null && !decision.granted();
        return new Quota(
                policy,
                most,
                window(limit),
                concurrent,
                rejected,
                decision == null ? null : remaining(decision),
                decision == null ? null : seconds(decision, concurrent));
    }

    /** Unknown if the failure policy decided without a state. */
    private static @Nullable Long remaining(Decision decision) {
        boolean known = decision.source() != Decision.Source.POLICY;
        return known ? Long.valueOf(decision.remaining()) : decision.granted() ? null : Long.valueOf(0);
    }

    private static @Nullable Long seconds(Decision decision, boolean concurrent) {
        if (!decision.granted()) {
            return decision.retryAfterSeconds().isPresent()
                    ? Long.valueOf(decision.retryAfterSeconds().getAsLong())
                    : null;
        }
        // It is unknown when concurrency permits will be released.
        boolean known = !concurrent
                && decision.source() != Decision.Source.POLICY
                && decision.fullAfterMicros() != Decision.NEVER_MICROS;
        return known ? Long.valueOf(roundedUp(decision.fullAfterMicros())) : null;
    }

    private static @Nullable Long window(Limit<?> limit) {
        if (limit instanceof TokenBucket bucket) {
            return bucket.warmUp() == null
                    ? wholeSeconds(Math.ceil(
                            Math.max(bucket.burstSeconds(), bucket.minCapacity() / bucket.permitsPerSecond())))
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
        return duration.getNano() == 0 ? wholeSeconds(duration.getSeconds()) : duration.getSeconds() + 1;
    }

    private static long wholeSeconds(double seconds) {
        return Math.max(1, (long) seconds);
    }

    private static long roundedUp(long micros) {
        return micros / MICROS_PER_SECOND + (micros % MICROS_PER_SECOND == 0 ? 0 : 1);
    }

    /** The same without a time that is later than the retry-after of the rejection. */
    Quota within(long retryAfterSeconds) {
        return seconds == null || seconds <= retryAfterSeconds
                ? this
                : new Quota(policy, most, window, concurrent, rejected, remaining, null);
    }

    /** A member of {@code RateLimit-Policy}. */
    String policyMember() {
        return FieldString.of(policy)
                + ";q=" + integer(most)
                + (concurrent ? ";qu=\"concurrent-requests\"" : "")
                + (window == null ? "" : ";w=" + integer(window));
    }

    /** A member of {@code RateLimit}; {@code null} if what remains is not known, without which there is none. */
    @Nullable
    String limitMember() {
        return remaining == null
                ? null
                : FieldString.of(policy)
                        + ";r=" + integer(remaining)
                        + (seconds == null ? "" : ";t=" + integer(seconds));
    }

    private static long integer(long value) {
        return Math.max(0, Math.min(value, LARGEST));
    }
}
