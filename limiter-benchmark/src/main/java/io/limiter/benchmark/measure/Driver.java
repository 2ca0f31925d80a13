package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Load;
import io.limiter.benchmark.load.Load.Kind;
import io.limiter.benchmark.load.VirtualThreads;
import io.limiter.benchmark.subject.AsyncSubject;
import io.limiter.benchmark.subject.Subject;

/** Keeps callers sending requests until their phase is {@link CallerResults.Phase#STOPPED}. */
interface Driver {

    /** How long callers may take to end. */
    long STOP_SECONDS = 20;

    /**
     * Returns when the last request has been answered. To be called after the callers were stopped.
     *
     * @throws IllegalStateException if that takes too long
     */
    void awaitEnd() throws InterruptedException;

    static Driver start(Load load, Subject subject, CallerResults results) {
        if (load.kind() == Kind.ASYNC) {
            return AsyncDriver.start((AsyncSubject) subject, results);
        }
        return ThreadDriver.start(
                subject, results, load.kind() == Kind.VIRTUAL ? VirtualThreads.factory() : ThreadDriver.PLATFORM);
    }

    static IllegalStateException tookTooLong() {
        return new IllegalStateException("requests were not answered within " + STOP_SECONDS + " s");
    }
}
