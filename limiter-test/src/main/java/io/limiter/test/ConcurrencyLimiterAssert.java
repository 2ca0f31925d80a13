package io.limiter.test;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;

/** Assertions about a {@link ConcurrencyLimiter}. They hold no permit when they return. */
public final class ConcurrencyLimiterAssert extends AbstractAssert<ConcurrencyLimiterAssert, ConcurrencyLimiter> {

    ConcurrencyLimiterAssert(ConcurrencyLimiter actual) {
        super(actual, ConcurrencyLimiterAssert.class);
    }

    /** The assertions about the permits of one key. */
    public ConcurrencyLimiterAssert on(String key) {
        isNotNull();
        return new ConcurrencyLimiterAssert(actual.on(key));
    }

    /**
     * Takes permits one by one, fails unless so many are granted and the next is rejected, and releases them.
     *
     * @param permits at least 0
     */
    public ConcurrencyLimiterAssert grantsAtMost(long permits) {
        isNotNull();
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be at least 0, was " + permits);
        }
        List<Lease> held = new ArrayList<>();
        try {
            Optional<Lease> next = actual.tryAcquire();
            while (next.isPresent() && held.size() < permits) {
                held.add(next.get());
                next = actual.tryAcquire();
            }
            next.ifPresent(held::add);
        } finally {
            held.forEach(Lease::close);
        }
        if (held.size() != permits) {
            throw failure(
                    "Expected %s to grant %d permits at most, but it granted %s",
                    Descriptions.of(actual), permits, held.size() > permits ? "another" : "only " + held.size());
        }
        return this;
    }

    /** Fails unless so many permits are held. */
    public ConcurrencyLimiterAssert hasInUse(long permits) {
        isNotNull();
        long inUse = actual.inUse();
        if (inUse != permits) {
            throw failure(
                    "Expected %s to have %d permits in use, but it has %d", Descriptions.of(actual), permits, inUse);
        }
        return this;
    }
}
