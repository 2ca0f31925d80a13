package io.limiter.test;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;

/** Entry points of the assertions about limiters, which you import statically together with those of AssertJ. */
public final class LimiterAssertions {

    private LimiterAssertions() {}

    /** Asserts the decisions of a limiter, or of the view of one key. */
    public static LimiterAssert assertThat(Limiter limiter) {
        return new LimiterAssert(limiter);
    }

    /** Asserts how many permits a concurrency limiter, or the view of one key, has. */
    public static ConcurrencyLimiterAssert assertThat(ConcurrencyLimiter limiter) {
        return new ConcurrencyLimiterAssert(limiter);
    }
}
