package io.limiter.test;

import io.limiter.ForwardingLimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.internal.factory.CacheBounds;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.spi.EngineObserver;
import java.util.List;

/**
 * Builds limiters of this process that decide as Redis does, by a clock that a test moves.
 *
 * <p>Leases are not renewed, so one that is held longer than its lease time ends, as that of a crashed holder. Safe for use by
 * many threads.
 */
public final class TestLimiterFactory extends ForwardingLimiterFactory {

    private final TestEngine engine;
    private final LocalLimiters limiters;

    /** Without observers and listeners. */
    public TestLimiterFactory(TestClock clock) {
        this(clock, List.of(), List.of());
    }

    /**
     * @param observers observe decisions on the threads that make them
     * @param listeners are notified of rejections
     */
    public TestLimiterFactory(TestClock clock, List<EngineObserver> observers, List<LimiterListener> listeners) {
        this(clock, new TestEngine(clock), observers, listeners);
    }

    private TestLimiterFactory(
            TestClock clock, TestEngine engine, List<EngineObserver> observers, List<LimiterListener> listeners) {
        this(
                engine,
                new LocalLimiters(
                        CacheBounds.DEFAULT,
                        engine,
                        clock.sleeper(),
                        Observers.of(observers),
                        new ListenerNotifier(listeners)));
    }

    private TestLimiterFactory(TestEngine engine, LocalLimiters limiters) {
        super(limiters.view());
        this.engine = engine;
        this.limiters = limiters;
    }

    /**
     * Forgets the permits, leases and bans of all keys, as if no limiter had ever been used.
     *
     * <p>The clock, the statistics and rates that were set by {@link io.limiter.RateLimiter#setRate} stay as they are.
     */
    public void reset() {
        engine.forgetAll();
    }

    /** Releases all leases and closes the limiters: later requests fail with {@link io.limiter.LimiterBackendException}. */
    @Override
    public void close() {
        limiters.close();
    }
}
