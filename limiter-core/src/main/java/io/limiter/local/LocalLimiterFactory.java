package io.limiter.local;

import io.limiter.ForwardingLimiterFactory;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.factory.DefinedLimits;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.Sleeper;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Builds limiters for this process alone. Limiters of two factories share nothing, even if they share a name. */
public final class LocalLimiterFactory extends ForwardingLimiterFactory {

    public LocalLimiterFactory() {
        this(builder().limiters().view());
    }

    private LocalLimiterFactory(LimiterFactory view) {
        super(view);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A factory whose limiters grant everything immediately and count nothing, for disabled limits. */
    public static LocalLimiterFactory unlimited() {
        return new LocalLimiterFactory(LocalLimiters.unlimited().view());
    }

    @Override
    public LocalLimiterFactory with(LimiterOptions options) {
        return new LocalLimiterFactory(super.with(options));
    }

    /**
     * Releases all leases and closes the limiters, so that waiting and later requests fail with {@link
     * io.limiter.LimiterBackendException}. Does nothing on a view.
     */
    @Override
    public void close() {
        super.close();
    }

    /** Settings of a factory. Not safe for use by several threads. */
    public static final class Builder {

        private long maxCachedLimiters = EngineLimiterFactory.DEFAULT_MAX_CACHED;
        private int maxKeys = LocalEngine.DEFAULT_MAX_KEYS;
        private final List<LimiterListener> listeners = new ArrayList<>();
        private final DefinedLimits defined = new DefinedLimits();

        private Builder() {}

        /**
         * Bounds how many limiters are kept for their next use. They are also evicted after 5 minutes without use. An evicted limiter is built
         * again when it is needed, and its permits are not affected. Default 10,000.
         *
         * @throws IllegalArgumentException if less than 1
         */
        public Builder maxCachedLimiters(long newMaximum) {
            this.maxCachedLimiters = EngineLimiterFactory.checkMaxCached(newMaximum);
            return this;
        }

        /**
         * The maximum number of keys, at least 1. Beyond it, keys that would be full again soonest are evicted. Default 100,000.
         */
        public Builder maxKeys(int newMaxKeys) {
            this.maxKeys = newMaxKeys;
            return this;
        }

        /** Adds a listener. */
        public Builder listener(LimiterListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Defines a limit by its name, for {@link LimiterFactory#rateLimiter(String)} and similar methods. In Spring,
         * {@code limiter.limits.<name>} replaces it.
         *
         * @param options the options of its limiters. With a {@linkplain LimiterOptions#withPlan plan}, it is the definition of that plan
         * @throws IllegalArgumentException if the name is blank or defined already
         */
        public Builder define(String name, AnyLimit limit, LimiterOptions options) {
            defined.define(name, limit, options);
            return this;
        }

        public LocalLimiterFactory build() {
            return new LocalLimiterFactory(limiters().view());
        }

        private LocalLimiters limiters() {
            LocalLimiters limiters = new LocalLimiters(
                    maxCachedLimiters,
                    new LocalEngine(maxKeys),
                    Sleeper.with(new BlockingCalls("limiter-timed-")),
                    Observers.of(listeners),
                    new ListenerNotifier(listeners));
            limiters.defined().defineAll(defined);
            return limiters;
        }
    }
}
