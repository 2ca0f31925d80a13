package io.limiter.testing;

import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import java.time.Duration;

/** Decision timeouts that no stall of a slow machine exhausts. */
public final class Patience {

    public static final Duration DECISION_TIMEOUT = Duration.ofMinutes(2);

    private Patience() {}

    /**
     * One of its own, whose time stands still, so that a call that the test has not answered yet is not one that takes longer
     * than others.
     */
    public static Guard guard() {
        return Guards.withClock(DECISION_TIMEOUT, new TestClock());
    }
}
