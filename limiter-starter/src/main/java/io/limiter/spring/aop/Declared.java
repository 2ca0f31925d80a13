package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import io.limiter.spring.annotation.LimitType;
import org.jspecify.annotations.Nullable;

/** What an annotation says about one method, parsed and checked, without any bean. */
interface Declared {

    /** The annotation and the method, for messages. */
    String where();

    String prefix();

    String name();

    Limit<?> limit();

    LimitType type();

    /** What it answers when the backend does not decide; {@code null} for the application's policy. */
    @Nullable
    FailurePolicy failurePolicy();

    /** Whether it says in which slot of a Cluster its permits are, which are others than those without. */
    default boolean inSlots() {
        return false;
    }
}
