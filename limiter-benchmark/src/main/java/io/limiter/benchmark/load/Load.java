package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Contender;
import java.util.Locale;

/**
 * How requests are sent, each as soon as the one before it is answered.
 *
 * @param callers how many requests are open at any time
 */
public record Load(Kind kind, int callers) {

    /** Who waits for the answers. */
    public enum Kind {
        /** Platform threads, one for each open request. */
        THREADS,
        /** Virtual threads, one for each open request; from JDK 21. */
        VIRTUAL,
        /** No thread: each completion starts the next request. */
        ASYNC
    }

    public Load {
        if (callers < 1) {
            throw new IllegalArgumentException("callers must be at least 1, was " + callers);
        }
    }

    /** Such as {@code 64-threads}. */
    public String name() {
        return callers + "-" + kind.name().toLowerCase(Locale.ROOT);
    }

    /** Virtual threads are for contenders that block, asynchronous calls for contenders that have them. */
    public boolean suits(Contender contender) {
        return switch (kind) {
            case THREADS -> true;
            case VIRTUAL -> !contender.inProcess();
            case ASYNC -> contender.async();
        };
    }
}
