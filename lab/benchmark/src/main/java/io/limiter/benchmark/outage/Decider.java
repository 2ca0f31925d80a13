package io.limiter.benchmark.outage;

import io.limiter.RateLimiter;
import io.limiter.benchmark.subject.Subject;

/** One limit of one instance, which many threads call. */
@FunctionalInterface
public interface Decider {

    /** Asks for one permit without waiting for one to become free. An exception is what the application would get. */
    Answer decide();

    static Decider of(RateLimiter limiter, String key) {
        return () -> Answer.of(limiter.decide(key));
    }

    /** The first id of a library that asks Redis each time, and throws if Redis does not answer. */
    static Decider of(Subject subject) {
        return () -> Answer.ofRedis(subject.tryAcquire(0));
    }
}
