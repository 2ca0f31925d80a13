package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Load;
import io.limiter.benchmark.load.Load.Kind;
import io.limiter.benchmark.load.VirtualThreads;
import io.limiter.benchmark.subject.AsyncSubject;
import io.limiter.benchmark.subject.Subject;

/** Keeps the callers of a tally asking until it is stopped. */
interface Driver {

    /** How long callers may take to end. */
    long STOP_SECONDS = 20;

    /**
     * Returns when the last request has been answered; the tally must have been stopped.
     *
     * @throws IllegalStateException if that takes too long
     */
    void awaitEnd() throws InterruptedException;

    static Driver start(Load load, Subject subject, LimiterCounters tally) {
        if (load.kind() == Kind.ASYNC) {
            return AsyncDriver.start((AsyncSubject) subject, tally);
        }
        return ThreadDriver.start(
                subject, tally, load.kind() == Kind.VIRTUAL ? VirtualThreads.factory() : ThreadDriver.PLATFORM);
    }

    static IllegalStateException tookTooLong() {
        return new IllegalStateException("requests were not answered within " + STOP_SECONDS + " s");
    }
}
