package io.limiter.spring.aop;

import org.jspecify.annotations.Nullable;

/** Finds out what a call belongs to. There is a bean of this type where answers tell of limits, as those over HTTP do. */
@FunctionalInterface
public interface DecisionRecorders {

    /** That of the call which the current thread is about to make; {@code null} if it belongs to nothing. */
    @Nullable
    DecisionRecorder current();
}
