package io.limiter;

import org.junit.jupiter.api.Nested;

/**
 * What every kind of limiter decides, which depends on the engine alone. A test nests it into a {@link CallsContract}, whose factory and
 * clock it uses.
 */
public abstract class DecisionsContract {

    @Nested
    class RateLimiterChanges extends RateLimiterChangesContract {}

    @Nested
    class Reservations extends ReservationContract {}

    @Nested
    class Settlements extends SettlementContract {}

    @Nested
    class CountLimiters extends CountLimiterContract {}

    @Nested
    class Waiting extends WaitingContract {}

    @Nested
    class ConcurrencyLimiters extends ConcurrencyLimiterContract {}

    @Nested
    class Resets extends ResetContract {}

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
