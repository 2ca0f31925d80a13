package io.limiter.benchmark.subject;

/**
 * A rate limiter under test, opened for one allowance and a number of ids that it limits separately. Safe for use by
 * many threads.
 */
public interface Subject extends AutoCloseable {

    /**
     * Asks for one permit without waiting for one to become free; returns when that is decided.
     *
     * @param id which of the ids, from 0
     * @return whether the permit was granted
     */
    boolean tryAcquire(int id);

    @Override
    default void close() {}
}
