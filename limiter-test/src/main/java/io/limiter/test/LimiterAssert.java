package io.limiter.test;

import io.limiter.Decision;
import io.limiter.Limiter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractAssert;

/** Assertions about a {@link Limiter}. They take the permits that it grants. */
public final class LimiterAssert extends AbstractAssert<LimiterAssert, Limiter> {

    LimiterAssert(Limiter actual) {
        super(actual, LimiterAssert.class);
    }

    /** The assertions about the permits of one key. */
    public LimiterAssert on(String key) {
        isNotNull();
        return new LimiterAssert(actual.on(key));
    }

    /**
     * Takes permits one by one, and fails at the first that is rejected.
     *
     * @param permits how many, at least 1
     */
    public LimiterAssert grants(long permits) {
        isNotNull();
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + permits);
        }
        for (long granted = 0; granted < permits; granted++) {
            Decision decision = actual.decide();
            if (!decision.isGranted()) {
                throw failure(
                        "Expected %s to grant %d permits, but it granted %d and then %s",
                        Descriptions.of(actual), permits, granted, Descriptions.of(decision));
            }
        }
        return this;
    }

    /** Fails if one more permit is granted. */
    public LimiterAssert thenRejects() {
        rejection("");
        return this;
    }

    /** Fails unless one more permit is rejected with exactly this retry-after. */
    public LimiterAssert thenRejectsFor(Duration retryAfter) {
        Objects.requireNonNull(retryAfter, "retryAfter");
        Decision decision = rejection(" for " + Descriptions.of(retryAfter));
        if (!decision.retryAfter().equals(java.util.Optional.of(retryAfter))) {
            throw other(Descriptions.of(retryAfter), decision);
        }
        return this;
    }

    /**
     * Fails unless one more permit is rejected with this retry-after, rounded up to whole units as in HTTP's {@code Retry-After}.
     */
    public LimiterAssert thenRejectsFor(long retryAfter, TimeUnit unit) {
        Duration expected =
                Duration.of(retryAfter, Objects.requireNonNull(unit, "unit").toChronoUnit());
        Decision decision = rejection(" for " + Descriptions.of(expected));
        Duration shortest = expected.minus(Duration.of(1, unit.toChronoUnit()));
        if (!decision.retryAfter()
                .filter(actually -> actually.compareTo(shortest) > 0 && actually.compareTo(expected) <= 0)
                .isPresent()) {
            throw other(Descriptions.of(expected), decision);
        }
        return this;
    }

    /** Fails unless so many permits are left. Takes none. */
    public LimiterAssert hasRemaining(long permits) {
        isNotNull();
        long remaining = actual.peek().remaining();
        if (remaining != permits) {
            throw failure(
                    "Expected %s to have %d permits remaining, but it has %d",
                    Descriptions.of(actual), permits, remaining);
        }
        return this;
    }

    private Decision rejection(String expected) {
        isNotNull();
        Decision decision = actual.decide();
        if (decision.isGranted()) {
            throw failure(
                    "Expected %s to reject%s, but it %s", Descriptions.of(actual), expected, Descriptions.of(decision));
        }
        return decision;
    }

    private AssertionError other(String expected, Decision decision) {
        return failure(
                "Expected %s to reject for %s, but it %s",
                Descriptions.of(actual), expected, Descriptions.of(decision));
    }
}
