package io.limiter.internal.redis;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.LimiterStatistics;
import io.limiter.internal.named.NamedLimits;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.resilience.Instances;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The parts of a factory over Redis that another module of this library works with. Safe for use by many threads. */
public interface FactoryAccess {

    RedisCalls redis();

    /** Starts the connection factory again whenever the ending application has stopped it, until this factory is closed. */
    default void startStoppedConnections() {
        redis().startStoppedFactory();
    }

    /** Lua that sets {@code now} in microseconds. */
    String clock();

    Ticker ticker();

    Duration decisionTimeout();

    /** Separates it from other applications; empty for none. */
    String namespace();

    /** What it knows of each name. */
    NamedLimits named();

    LimiterStatistics statistics();

    BackendState backendState();

    /** Who shares the limits: without Redis, each decides under its part of them, or about the keys that it owns. */
    Instances instances();

    /**
     * Adds what the factory notifies.
     *
     * @return {@code false} if there is a extension already, or the factory was closed; nothing changes
     */
    boolean add(Extension extension);

    /** What was added; {@code null} if there is none. */
    @Nullable
    Extension extension();

    /** What another module adds to a factory. */
    interface Extension extends AutoCloseable {

        /** In place of one that is added to a factory that was closed. */
        Extension NONE = new Extension() {
            @Override
            public void recovered(Duration most) {}

            @Override
            public void close() {}
        };

        /**
         * Redis answers again, and decides once this has returned.
         *
         * @param most how long it may take
         */
        void recovered(Duration most);

        /** The factory is being closed; its parts are still there. */
        @Override
        void close();
    }
}
