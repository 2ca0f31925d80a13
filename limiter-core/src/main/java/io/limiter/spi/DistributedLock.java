package io.limiter.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Mutual exclusion between JVMs, for the lock engine.
 *
 * <p>The engine needs it to keep callers from doing work in vain, not to be exact: it saves a state only if it still is
 * the one it loaded. So a lock may be lost while it is held (its holder paused for too long, Redis failed over), and
 * nobody gets a permit by it.
 */
public interface DistributedLock {

    /**
     * Takes the lock, waiting for it if need be. An interrupt does not cut the wait short; the flag is set again
     * afterwards.
     *
     * @param key the lock's key in Redis
     * @param wait how long to wait at most; zero means to try once
     * @return the lock, or {@code null} if it was not to be had in time
     */
    @Nullable
    Held tryLock(String key, Duration wait);

    /** A lock that is held until it is closed, or lost. */
    interface Held extends AutoCloseable {

        /** Gives the lock back if it is still held. Does not throw: a lock that cannot be given back runs out. */
        @Override
        void close();
    }
}
