package io.limiter.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Mutual exclusion between JVMs, for the lock engine.
 *
 * <p>The lock only prevents wasted work. Exactness does not depend on it, because the engine saves a state only if the stored one is still the one
 * that it loaded. So if a lock is lost while it is held, because its holder paused for too long or Redis failed over, no limit is exceeded.
 */
public interface DistributedLock {

    /**
     * Acquires the lock, waiting if necessary. An interrupt does not end the wait, and the interrupt flag is restored afterwards.
     *
     * @param key the lock's key in Redis
     * @param wait how long to wait at most. Zero or a negative wait means to try once
     * @return the lock, or {@code null} if it could not be acquired in time
     */
    @Nullable
    Held tryLock(String key, Duration wait);

    /** A lock that is held until it is closed or lost. */
    interface Held extends AutoCloseable {

        /** Releases the lock if it is still held. Does not throw, because a lock that cannot be released expires. */
        @Override
        void close();
    }
}
