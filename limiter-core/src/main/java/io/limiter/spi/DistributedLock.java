package io.limiter.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Mutual exclusion between JVMs, for the lock engine.
 *
 * <p>The lock only saves wasted work; exactness does not depend on it, because the engine saves a state only if it
 * still is the one it loaded. So a lock may be lost while it is held (its holder paused for too long, Redis failed
 * over) without a limit being exceeded.
 */
public interface DistributedLock {

    /**
     * Acquires the lock, waiting if necessary. An interrupt does not end the wait; the interrupt flag is restored
     * afterwards.
     *
     * @param key the lock's key in Redis
     * @param wait how long to wait at most; zero or a negative one means to try once
     * @return the lock, or {@code null} if it could not be acquired in time
     */
    @Nullable
    Held tryLock(String key, Duration wait);

    /** A lock that is held until it is closed or lost. */
    interface Held extends AutoCloseable {

        /** Releases the lock if it is still held. Does not throw: a lock that cannot be released expires. */
        @Override
        void close();
    }
}
