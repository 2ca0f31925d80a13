package io.limiter.spring.check;

import org.jspecify.annotations.Nullable;

/** Finds the recorder of a call. There is a bean of this type where answers show limits, as those over HTTP do. */
@FunctionalInterface
public interface DecisionRecorders {

    /** The recorder of the call that the current thread is about to make; {@code null} if it has none. */
    @Nullable
    DecisionRecorder current();
}
