package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;

/** Guards whose time a test moves. Without checks of deadlines it moves by a quarter of the decision timeout at most. */
public final class Guards {

    private Guards() {}

    public static Guard withClock(Duration decisionTimeout, Ticker clock) {
        return withClock(decisionTimeout, Breakers.silent(), clock);
    }

    static Guard withClock(Duration decisionTimeout, Breakers breakers, Ticker clock) {
        return new Guard(
                breakers,
                new Deadlines(decisionTimeout, decisionTimeout, clock),
                ListenerNotifier.NONE,
                EngineObserver.NONE);
    }

    public static Guard with(Duration decisionTimeout, Breakers breakers) {
        return new Guard(decisionTimeout, decisionTimeout, breakers, ListenerNotifier.NONE, EngineObserver.NONE);
    }
}
