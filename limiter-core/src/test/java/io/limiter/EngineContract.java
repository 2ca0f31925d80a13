package io.limiter;

import org.junit.jupiter.api.Nested;

/** What every kind of limiter does on every engine. {@code EveryEngineTest} sees to it that no engine is left out. */
public abstract class EngineContract extends CallsContract {

    @Nested
    class Decisions extends DecisionsContract {}
}
