package io.limiter.engine;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A request on its way to its decision. Cancelled before it was sent, it is never decided. */
final class PendingRequest extends CompletableFuture<Decision> {

    private final String key;
    private final Limit<?> limit;
    private final Request request;

    PendingRequest(String key, Limit<?> limit, Request request) {
        this.key = key;
        this.limit = limit;
        this.request = request;
    }

    String key() {
        return key;
    }

    Limit<?> limit() {
        return limit;
    }

    Request request() {
        return request;
    }

    /** Waits for the decision. An interrupt does not end the wait, which is short, but is set again at its end. */
    Decision await(long yieldNanos) {
        if (yieldNanos > 0) {
            long start = System.nanoTime();
            while (!isDone() && System.nanoTime() - start < yieldNanos) {
                Thread.yield();
            }
        }
        try {
            return join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterBackendException failure) {
                throw failure.inThisThread();
            }
            throw e;
        }
    }
}
