package io.limiter.spring.internal.check;

/** A bean that rejects calls although their permits are available, such as those of a client that pauses. */
public interface Resettable {

    /** Forgets why it rejects calls, because a test begins, which starts with all permits. */
    void reset();
}
