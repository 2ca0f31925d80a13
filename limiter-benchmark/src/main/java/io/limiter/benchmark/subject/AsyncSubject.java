package io.limiter.benchmark.subject;

import java.util.concurrent.CompletionStage;

/** A rate limiter that also decides without blocking its caller. */
public interface AsyncSubject extends Subject {

    /** As {@link #tryAcquire}; completes when it is decided, on any thread, perhaps before it returns. */
    CompletionStage<Boolean> tryAcquireAsync(int id);
}
