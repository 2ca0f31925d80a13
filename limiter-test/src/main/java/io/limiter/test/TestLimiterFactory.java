package io.limiter.test;

import io.limiter.ForwardingLimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.factory.FactoryView;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import java.util.List;

/**
 * Builds limiters of this process that decide like Redis, with a clock that a test moves.
 *
 * <p>Leases are not renewed, so a lease that is held for longer than its lease time ends, like that of a crashed holder. Safe for use by many threads.
 */
public final class TestLimiterFactory extends ForwardingLimiterFactory {

    private final TestEngine engine;
    private final FactoryView view;

    /** A factory without listeners. */
    public TestLimiterFactory(TestClock clock) {
        this(clock, List.of());
    }

    /** @param listeners are notified of rejections */
    public TestLimiterFactory(TestClock clock, List<LimiterListener> listeners) {
        this(clock, new TestEngine(clock), listeners);
    }

    private TestLimiterFactory(TestClock clock, TestEngine engine, List<LimiterListener> listeners) {
        this(
                engine,
                new LocalLimiters(
                                EngineLimiterFactory.DEFAULT_MAX_CACHED,
                                engine,
                                clock.sleeper(),
                                Observers.of(listeners),
                                new ListenerNotifier(listeners))
                        .view());
    }

    private TestLimiterFactory(TestEngine engine, FactoryView view) {
        super(view);
        this.engine = engine;
        this.view = view;
    }

    @Override
    public TestLimiterFactory with(LimiterOptions options) {
        return new TestLimiterFactory(engine, view.with(options));
    }

    /**
     * Defines a limit by its name, as {@code limiter.limits.<name>} does in the application, for {@link #rateLimiter} and similar methods.
     *
     * @param options the options of its limiters. With a {@linkplain LimiterOptions#withPlan plan}, it is the definition of that plan
     * @throws IllegalArgumentException if the name is blank or defined already
     */
    public TestLimiterFactory define(String name, AnyLimit limit, LimiterOptions options) {
        view.limiters().defined().define(name, limit, options);
        return this;
    }

    /**
     * Forgets the permits, leases and bans of all keys, as if no limiter had ever been used.
     *
     * <p>The clock, the statistics and rates that were set with {@link io.limiter.RateLimiter#setRate} stay as they are.
     */
    public void reset() {
        engine.forgetAll();
    }

    /**
     * Releases all leases and closes the limiters, so that later requests fail with {@link io.limiter.LimiterBackendException}. Does nothing on a
     * view.
     */
    @Override
    public void close() {
        super.close();
    }
}
