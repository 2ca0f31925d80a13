package io.limiter.redis;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.spi.DistributedLock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Redisson's lock, whose waiters are woken by a message instead of polling.
 *
 * <p>The client must be connected to the same Redis as the limiters.
 */
public final class RedissonLock implements DistributedLock {

    private static final AsyncLog log = AsyncLog.of(RedissonLock.class);

    private final RedissonClient redisson;
    private final Duration lease;

    /** With a lease of {@link RedisLock#DEFAULT_LEASE}. */
    public RedissonLock(RedissonClient redisson) {
        this(redisson, RedisLock.DEFAULT_LEASE);
    }

    /**
     * @param lease how long the lock is held at most, from 1 ms to 1,000 days, and long enough for a load and a save
     */
    public RedissonLock(RedissonClient redisson, Duration lease) {
        Ranges.duration("lease", lease, Duration.ofMillis(1));
        this.redisson = Objects.requireNonNull(redisson, "redisson");
        this.lease = lease;
    }

    @Override
    public @Nullable Held tryLock(String key, Duration wait) {
        // Not the fenced lock: it keeps a counter for each key that never expires, and the engine needs no fence.
        RLock lock = redisson.getLock(key);
        // Redisson identifies an owner by its thread id; a random id makes each acquisition an owner of its own.
        long owner = ThreadLocalRandom.current().nextLong();
        boolean locked = Boolean.TRUE.equals(
                get(lock.tryLockAsync(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS, owner)));
        return locked ? () -> release(lock, owner) : null;
    }

    private void release(RLock lock, long owner) {
        try {
            get(lock.unlockAsync(owner));
        } catch (IllegalMonitorStateException e) {
            log.debug("Lock {} was lost before it was released", ShownKey.of(lock.getName()));
        } catch (RuntimeException e) {
            // What was decided under the lock is saved and stands.
            log.warn(
                    "Lock {} not released, so others wait until it expires after {}",
                    ShownKey.of(lock.getName()),
                    lease,
                    e);
        }
    }

    /** Waits for the answer even if interrupted, so that no lock stays held unnoticed. */
    private static <T extends @Nullable Object> T get(RFuture<T> answer) {
        return AsyncFailures.join(answer.toCompletableFuture());
    }
}
