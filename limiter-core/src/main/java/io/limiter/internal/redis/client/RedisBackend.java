package io.limiter.internal.redis.client;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Backend;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A backend that stores the states in Redis. What differs is how it takes their steps. */
public abstract class RedisBackend implements Backend {

    protected final RedisCalls redis;
    private volatile boolean closed;

    protected RedisBackend(RedisCalls redis) {
        this.redis = redis;
    }

    @Override
    public final void connect() {
        redis.connect();
    }

    @Override
    public final LimiterBackendException notConnected(String key, RuntimeException thrown) {
        return RedisErrors.of(key, thrown);
    }

    /** Needs no lock: a concurrent decision under one cannot save its state, and starts over. */
    @Override
    public final void delete(String key) {
        try {
            observed(() -> redis.delete(key.getBytes(StandardCharsets.UTF_8)));
        } catch (RuntimeException e) {
            throw RedisErrors.of(key, e);
        }
    }

    /** Makes a call that blocks, and reports it to the observer. */
    protected final <T extends @Nullable Object> T observed(Supplier<T> call) {
        long startNanos = System.nanoTime();
        boolean failed = true;
        try {
            T answer = call.get();
            failed = false;
            return answer;
        } finally {
            redis.observer().called(System.nanoTime() - startNanos, failed);
        }
    }

    /** Fails later requests; requests that have started are still completed. */
    @Override
    public final void close() {
        closed = true;
    }

    protected final boolean isClosed() {
        return closed;
    }
}
