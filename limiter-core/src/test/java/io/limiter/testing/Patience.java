package io.limiter.testing;

import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.util.List;

/** Decision timeouts that no stall of a slow machine exhausts. */
public final class Patience {

    public static final Duration DECISION_TIMEOUT = Duration.ofMinutes(2);

    private Patience() {}

    /** One of its own, whose breaker nothing has opened yet. */
    public static Guard guard() {
        return new Guard(DECISION_TIMEOUT, new Breakers(Duration.ofMillis(500), new ListenerNotifier(List.of())));
    }
}
