package io.limiter;

import io.limiter.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A part of {@link CallsContract} or {@link DecisionsContract}: tests with the factory and the clock of the engine under test. */
abstract class LimiterContract {

    static final Duration SECOND = Duration.ofSeconds(1);

    private CallsContract engine;

    @RegisterExtension
    final BeforeEachCallback findEngine = context -> engine =
            context.getRequiredTestInstances().findInstance(CallsContract.class).orElseThrow();

    /** A factory on the engine under test, with keys of this test's own. */
    final LimiterFactory limiters() {
        return engine.limiters();
    }

    /** The clock of the engine, on which its limiters also wait. */
    final TestClock clock() {
        return engine.clock();
    }

    /** How many steps a random walk takes, of as many in the everyday suite. */
    final int steps(int everyday) {
        return engine.steps(everyday);
    }

    /** Waits until the engine has dealt with requests whose callers have given up. */
    final void awaitIdle() {
        engine.awaitIdle();
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }
}
