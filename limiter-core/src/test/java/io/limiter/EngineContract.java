package io.limiter;

import io.limiter.testing.Steps;
import io.limiter.testing.TestClock;
import org.junit.jupiter.api.Nested;

/** What every kind of limiter does on every engine. {@code EveryEngineTest} sees to it that no engine is left out. */
public abstract class EngineContract {

    /** A factory on the engine under test, with keys of this test's own; the same at each call. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine, on which its limiters also wait. */
    protected abstract TestClock clock();

    /** How many steps a random walk takes, of as many in the everyday suite. */
    protected int steps(int everyday) {
        return Steps.of(everyday);
    }

    /** Waits until the engine has dealt with requests whose callers have given up. */
    protected void awaitIdle() {}

    @Nested
    class RateLimiters extends RateLimiterContract {}

    @Nested
    class RateLimiterChanges extends RateLimiterChangesContract {}

    @Nested
    class Reservations extends ReservationContract {}

    @Nested
    class Settlements extends SettlementContract {}

    @Nested
    class RateLimitersAsync extends RateLimiterAsyncContract {}

    @Nested
    class CountLimiters extends CountLimiterContract {}

    @Nested
    class Waiting extends WaitingContract {}

    @Nested
    class ConcurrencyLimiters extends ConcurrencyLimiterContract {}

    @Nested
    class LimitSets extends LimitSetContract {}

    @Nested
    class Resets extends ResetContract {}

    @Nested
    class GivenUpFutures extends GivenUpContract {}

    @Nested
    class Plans extends PlanContract {}

    @Nested
    class Bans extends BanContract {}

    @Nested
    class Leave extends LeaveContract {}

    @Nested
    class Warnings extends WarningContract {}

    @Nested
    class Views extends ViewContract {}

    @Nested
    class Forms extends FormsContract {}
}
