package io.limiter.internal.redis.client;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Backend;
import java.nio.charset.StandardCharsets;
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
    public final String nodeOf(String key) {
        return redis.nodeOf(key);
    }

    @Override
    public final boolean isOn(String node, String key) {
        return redis.isOn(node, key);
    }

    @Override
    public final @Nullable String keyOn(String node, String key) {
        return redis.keyOn(node, key);
    }

    @Override
    public final int nodes() {
        return redis.nodes();
    }

    @Override
    public final boolean isConnected(String key) {
        return redis.isConnected(key);
    }

    @Override
    public final boolean reconnect(String key) {
        return redis.reconnect(key);
    }

    @Override
    public final LimiterBackendException notConnected(String key, RuntimeException thrown) {
        return RedisErrors.of(key, thrown);
    }

    /** Needs no lock: a concurrent decision under one cannot save its state, and starts over. */
    @Override
    public final void delete(String key) {
        try {
            redis.delete(key.getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw RedisErrors.of(key, e);
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
