package io.limiter.spring.check;

import org.jspecify.annotations.Nullable;

/** Finds the recorder of a call. Applications whose responses show limits have a bean of this type. */
@FunctionalInterface
public interface DecisionRecorders {

    /** The recorder of the call that the current thread is about to make; {@code null} if it has none. */
    @Nullable
    DecisionRecorder current();
}
