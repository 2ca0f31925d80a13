package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import io.limiter.spring.annotation.LimitType;

/** What an annotation says about one method, parsed and checked, without any bean. */
interface Declared {

    /** The annotation and the method, for messages. */
    String where();

    String prefix();

    String name();

    Limit<?> limit();

    LimitType type();

    /** Whether it says in which slot of a Cluster its permits are, which are others than those without. */
    default boolean inSlots() {
        return false;
    }
}
