package io.limiter;

import io.limiter.testing.Steps;
import io.limiter.testing.TestClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;

/**
 * What depends on how an engine is called: by one thread or several, asynchronously, with several keys in one call, and by callers
 * that give up. Another client or another lock of an engine that passes the whole {@link EngineContract} changes nothing else, so its
 * {@link DecisionsContract} is for long runs.
 */
public abstract class CallsContract {

    private @Nullable LimiterFactory limiters;

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory build();

    /** The clock of the engine, on which its limiters also wait. */
    protected abstract TestClock clock();

    /** The same at each call. */
    protected final LimiterFactory limiters() {
        if (limiters == null) {
            limiters = build();
        }
        return limiters;
    }

    /** How many steps a random walk takes, of as many in the everyday suite. */
    protected int steps(int everyday) {
        return Steps.of(everyday);
    }

    /** Waits until the engine has dealt with requests whose callers have given up. */
    protected void awaitIdle() {}

    @Nested
    class RateLimiters extends RateLimiterContract {}

    @Nested
    class RateLimitersAsync extends RateLimiterAsyncContract {}

    @Nested
    class LimitSets extends LimitSetContract {}

    @Nested
    class GivenUpFutures extends GivenUpContract {}
}
