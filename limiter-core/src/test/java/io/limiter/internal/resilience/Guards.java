package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import java.time.Duration;

/** Guards whose time a test moves. Without checks of deadlines it moves by a quarter of the decision timeout at most. */
public final class Guards {

    private Guards() {}

    public static Guard withClock(Duration decisionTimeout, Ticker clock) {
        return new Guard(decisionTimeout, Breakers.silent(), new Deadlines(decisionTimeout, clock));
    }
}
