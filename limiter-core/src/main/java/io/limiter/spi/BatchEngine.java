package io.limiter.spi;

import io.limiter.LimiterBackendException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An engine that can decide many requests in one call, and needs no thread to wait for the answer. */
public interface BatchEngine extends Engine {

    /**
     * As {@link #decide(List)}, without waiting. Batches that are started one after the other are decided in that order
     * wherever they share keys.
     *
     * @param batch no key twice
     * @return an answer for each key, in the order of the batch; never completed exceptionally
     */
    CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch);

    /** Whether {@link #start} would block its caller until the answer is there, or a connection is. */
    boolean blocks();

    /**
     * Sees to it that {@link #start} need not connect first. Blocks until it is connected.
     *
     * @throws RuntimeException if that is not possible
     */
    default void connect() {}

    /** Why a key was not decided, if {@link #connect} has thrown. */
    default LimiterBackendException notConnected(String key, RuntimeException thrown) {
        return LimiterBackendException.of(
                LimiterBackendException.Kind.RETRYABLE, "connection", key, "there is no connection: " + thrown, thrown);
    }

    /** How many lanes there are; keys of different lanes never share a call. */
    int lanes();

    /** The lane of a key, from 0 to {@code lanes() - 1}. */
    int laneOf(String key);
}
