package io.limiter;

import io.limiter.testing.TestClock;
import org.junit.jupiter.api.Nested;

/** What every engine carries: each kind of limiter. {@code EveryEngineTest} sees to it that no engine is left out. */
public abstract class EngineContract {

    /** A factory on the engine under test, with keys of this test's own; the same at each call. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine, on which its limiters also sleep. */
    protected abstract TestClock clock();

    @Nested
    class RateLimiters extends RateLimiterContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }

    @Nested
    class CountLimiters extends CountLimiterContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }

    @Nested
    class LimitSets extends LimitSetContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }

    @Nested
    class SlidingLimiters extends SlidingLimiterContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }

    @Nested
    class Resets extends ResetContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }
    }

    @Nested
    class GivenUpFutures extends GivenUpContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }
    }

    @Nested
    class Views extends ViewContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }

    @Nested
    class ConcurrencyLimiters extends ConcurrencyLimiterContract {

        @Override
        protected LimiterFactory limiters() {
            return EngineContract.this.limiters();
        }

        @Override
        protected TestClock clock() {
            return EngineContract.this.clock();
        }
    }
}
