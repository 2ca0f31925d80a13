package io.limiter.spring.internal.web;

import io.limiter.Decision;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One limit in the fields {@code RateLimit-Policy} and {@code RateLimit} of draft-ietf-httpapi-ratelimit-headers-11.
 *
 * @param policy the name of the limit for callers
 * @param capacity the most permits that can be taken at a time
 * @param window in seconds, rounded up; {@code null} if the limit has none
 * @param concurrent whether permits are held and not spent
 * @param rejected whether the limit rejected
 * @param remaining {@code null} if unknown
 * @param effectiveWindow the seconds in which a caller can use no more than what remains, rounded up; {@code null} if
 *     unknown
 */
record Quota(
        String policy,
        long capacity,
        @Nullable Long window,
        boolean concurrent,
        boolean rejected,
        @Nullable Long remaining,
        @Nullable Long effectiveWindow) {

    /** The largest integer of structured fields. */
    private static final long LARGEST = 999_999_999_999_999L;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** Redis may be back before the end of a long period, so callers are not asked to wait for that. */
    private static final long LATEST_WITHOUT_REDIS_MICROS = 60 * MICROS_PER_SECOND;

    /**
     * The quota of a limit that decided.
     *
     * @param decision {@code null} if the limit did not reject and nothing else is known
     */
    static Quota of(String policy, AnyLimit limit, @Nullable Decision decision) {
        Long windowMicros = windowMicros(limit, decision);
        Long window = windowMicros == null ? null : Long.valueOf(wholeSeconds(windowMicros));
        boolean concurrent = limit instanceof ConcurrencyLimit;
        return decision == null
                ? new Quota(policy, limit.capacity(), window, concurrent, false, null, null)
                : new Quota(
                        policy,
                        decision.limit(),
                        window,
                        concurrent,
                        !decision.isGranted(),
                        remaining(decision),
                        effectiveWindow(limit, windowMicros, decision));
    }

    /** Unknown if the failure policy decided without a state. */
    private static @Nullable Long remaining(Decision decision) {
        boolean known = decision.source() != Decision.Source.POLICY;
        return known ? Long.valueOf(decision.remaining()) : decision.isGranted() ? null : Long.valueOf(0);
    }

    /** In seconds, as in {@code Retry-After}; {@code null} if granted or never. */
    static @Nullable Long retryAfter(Decision decision) {
        return decision.retryAfterSeconds().isPresent()
                ? Long.valueOf(decision.retryAfterSeconds().getAsLong())
                : null;
    }

    /**
     * Until the end of a fixed window. Of the others, which refill all the time, as long as the policy's pace of {@code q}
     * permits in {@code w} seconds takes for what remains, or until the next permit.
     */
    private static @Nullable Long effectiveWindow(AnyLimit limit, @Nullable Long windowMicros, Decision decision) {
        if (!decision.isGranted()) {
            return retryAfter(decision);
        }
        boolean fullAfterKnown = decision.fullAfterMicros() != Verdict.NEVER_MICROS;
        if (decision.source() == Decision.Source.POLICY || windowMicros == null) {
            return null;
        }
        if (limit instanceof FixedWindow) {
            long micros = decision.source() == Decision.Source.LOCAL
                    ? Math.min(decision.fullAfterMicros(), LATEST_WITHOUT_REDIS_MICROS)
                    : decision.fullAfterMicros();
            return fullAfterKnown ? Long.valueOf(roundedUp(micros)) : null;
        }
        double intervalMicros = (double) windowMicros / limitPerWindow(limit, decision);
        if (decision.remaining() == 0 && limit instanceof TokenBucket bucket && fullAfterKnown) {
            // All others are missing when the first permit is there. One of a warm-up takes an interval or more.
            double untilFirst = decision.fullAfterMicros() - (decision.limit() - 1) * intervalMicros;
            return wholeSeconds(bucket.warmUp() == null ? untilFirst : Math.max(untilFirst, intervalMicros));
        }
        return wholeSeconds(Math.max(1, decision.remaining()) * intervalMicros);
    }

    /** Of a bucket, also the permits that its caller leaves to others, and which its limit does not count; it refills them, too. */
    private static long limitPerWindow(AnyLimit limit, Decision decision) {
        return limit instanceof TokenBucket bucket
                        && bucket.warmUp() == null
                        && decision.source() != Decision.Source.LOCAL
                ? Math.max(decision.limit(), bucket.capacity())
                : decision.limit();
    }

    /** Of a period of the calendar, the length of the one that it decided in. */
    private static @Nullable Long windowMicros(AnyLimit limit, @Nullable Decision decision) {
        if (limit instanceof TokenBucket bucket) {
            return bucket.warmUp() == null
                    // For one permit or more, as q. Rounded, because 11 at 11/60 per second take 60.000000000000007 s
                    // as doubles.
                    ? Long.valueOf(Math.round(MICROS_PER_SECOND
                            * Math.max(
                                    bucket.burstSeconds(),
                                    Math.max(1, bucket.minCapacity()) / bucket.permitsPerSecond())))
                    : Long.valueOf(bucket.warmUp().period().toNanos() / 1000);
        }
        if (limit instanceof FixedWindow window) {
            CalendarPeriod calendar = window.calendar();
            Instant end = decision == null ? null : decision.periodEnd().orElse(null);
            if (calendar == null || end == null) {
                return window.periodMicros();
            }
            CalendarPeriod.Bounds period = calendar.at(ChronoUnit.MICROS.between(Instant.EPOCH, end) - 1);
            return period.endMicros() - period.startMicros();
        }
        if (limit instanceof SlidingLog log) {
            return log.periodMicros();
        }
        return limit instanceof SlidingCounter counter ? Long.valueOf(counter.periodMicros()) : null;
    }

    /** At least one, as {@code w} must not be 0. */
    private static long wholeSeconds(double micros) {
        return Math.max(1, roundedUp(Math.round(micros)));
    }

    private static long roundedUp(long micros) {
        return micros / MICROS_PER_SECOND + (micros % MICROS_PER_SECOND == 0 ? 0 : 1);
    }

    /** The same without an effective window that ends after that time, as {@code Retry-After} must not be before its end. */
    Quota withoutWindowAfter(long retryAfterSeconds) {
        return effectiveWindow == null || effectiveWindow <= retryAfterSeconds
                ? this
                : new Quota(policy, capacity, window, concurrent, rejected, remaining, null);
    }

    /** A member of {@code RateLimit-Policy}. */
    String policyMember() {
        return fieldString(policy)
                + ";q=" + integer(capacity)
                + (concurrent ? ";qu=\"concurrent-requests\"" : "")
                + (window == null ? "" : ";w=" + integer(window));
    }

    /** A member of {@code RateLimit}; {@code null} if the remaining permits are unknown, because a member must have them. */
    @Nullable
    String limitMember() {
        return remaining == null
                ? null
                : fieldString(policy)
                        + ";r=" + integer(remaining)
                        + (effectiveWindow == null ? "" : ";t=" + integer(effectiveWindow));
    }

    private static long integer(long value) {
        return Math.max(0, Math.min(value, LARGEST));
    }

    /** Whether it needs no escape, as most names. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each < ' ' || each >= 0x7F || each == '"' || each == '\\') {
                return false;
            }
        }
        return true;
    }

    /**
     * A string of structured HTTP fields (RFC 9651, section 3.3.3), which is ASCII without control characters. Other characters
     * are the bytes of their UTF-8 in percent notation.
     */
    static String fieldString(String text) {
        if (isPlain(text)) {
            return '"' + text + '"';
        }
        StringBuilder field = new StringBuilder(text.length() + 2).append('"');
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            if (octet == '"' || octet == '\\') {
                field.append('\\').append((char) octet);
            } else if (octet >= ' ' && octet < 0x7F) {
                field.append((char) octet);
            } else {
                field.append(String.format("%%%02X", octet & 0xFF));
            }
        }
        return field.append('"').toString();
    }
}
