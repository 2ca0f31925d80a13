package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.KeyRequests;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Stores the states and takes their steps atomically, in Redis: by script or under a lock. Decides many requests in
 * one call; does not limit its own time and does not retry. Safe for use by multiple threads.
 */
public interface Backend extends AutoCloseable {

    /**
     * Decides a call: the requests for one key in order, as if they had arrived one after the other at the same moment.
     * Calls that share keys are decided in the order in which they were sent, which may differ from the one in which two
     * threads have started them.
     *
     * <p>A backend that cannot decide several keys at one moment decides a call for all or nothing by {@link SequentialSet}.
     */
    void start(Call call);

    /**
     * Decides sets in their order, each all or nothing, in one call if this backend can. All their keys are in one lane; a key may
     * be in several sets.
     */
    default void startSets(List<Call> sets) {
        sets.forEach(this::start);
    }

    /** Starts a call for a batch of requests that are independent of each other; never completed exceptionally. */
    default CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch, BooleanSupplier send) {
        CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
        start(new Call(batch, false, send, answers::complete));
        return answers;
    }

    /** Whether {@link #start} would block the calling thread to connect or to wait for the answer. */
    boolean blocks();

    /**
     * Connects to the backend if necessary, so that {@link #start} does not have to. Blocks.
     *
     * @throws RuntimeException if there is no connection
     */
    default void connect() {}

    /** The failure of a key's requests if {@link #connect} has thrown. */
    default LimiterBackendException notConnected(String key, RuntimeException thrown) {
        return new LimiterBackendException(
                LimiterBackendException.Kind.RETRYABLE,
                "connection",
                key,
                "there is no connection: " + thrown,
                null,
                thrown);
    }

    /** The number of lanes (batch queues). Keys of different lanes never share a call. */
    default int lanes() {
        return 1;
    }

    /** The lane of a key, from 0 to {@code lanes() - 1}. */
    default int laneOf(String key) {
        return 0;
    }

    /**
     * Deletes the state of a key. Blocks.
     *
     * @throws LimiterBackendException if it is not certain that the state was deleted
     */
    void delete(String key);

    /** Fails all later requests; those already sent are still answered. */
    @Override
    default void close() {}
}
