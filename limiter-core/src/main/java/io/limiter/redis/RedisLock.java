package io.limiter.redis;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.internal.redis.client.SpringCalls;
import io.limiter.spi.DistributedLock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A lock on one Redis node: {@code SET key owner NX PX}, released by its owner only. Each acquisition has a random owner, so
 * a holder that lost its lock cannot release another's.
 *
 * <p>A waiting thread tries again after a random pause that grows from 1 ms to 32 ms, so that waiters do not flood Redis.
 *
 * <p>For limiters with the same connection factory, it uses their connection, which is replaced if Redis refuses or does not answer a probe.
 */
public final class RedisLock implements DistributedLock {

    /** How long the lock of a crashed holder lasts, unless set. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(2);

    private static final AsyncLog log = AsyncLog.of(RedisLock.class);
    private static final long SHORTEST_PAUSE_MICROS = 1_000;
    private static final long LONGEST_PAUSE_MICROS = 32_000;

    private static final LuaScript LOCK = LuaScript.of(LuaScript.resource(RedisLock.class, "lock.lua"));
    private static final LuaScript UNLOCK = LuaScript.of(LuaScript.resource(RedisLock.class, "unlock.lua"));

    private final RedisCalls redis;
    private final Duration lease;
    private final Duration timeout;

    public RedisLock(RedisConnectionFactory connections) {
        this(connections, DEFAULT_LEASE);
    }

    /**
     * @param lease how long the lock is held at most, from 1 ms to 1,000 days, and long enough for a load and a save
     */
    public RedisLock(RedisConnectionFactory connections, Duration lease) {
        this(new SpringCalls(Objects.requireNonNull(connections, "connections")), lease, lease);
        Ranges.duration("lease", lease, Duration.ofMillis(1));
    }

    private RedisLock(RedisCalls redis, Duration lease, Duration timeout) {
        this.redis = redis;
        this.lease = lease;
        this.timeout = timeout;
    }

    /**
     * This lock over the calls of limiters, so that a failed probe replaces its connection, too; itself if it uses another connection
     * factory than they do.
     *
     * @param timeout how long to wait for an answer
     */
    RedisLock over(RedisCalls calls, Duration timeout) {
        return redis.connections() == calls.connections() ? new RedisLock(calls, lease, timeout) : this;
    }

    @Override
    public @Nullable Held tryLock(String key, Duration wait) {
        byte[] lockKey = key.getBytes(StandardCharsets.UTF_8);
        byte[] owner = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        long deadline = System.nanoTime() + wait.toNanos();
        long pauseMicros = SHORTEST_PAUSE_MICROS;
        boolean interrupted = Thread.interrupted();
        try {
            while (!set(lockKey, owner)) {
                interrupted |= Thread.interrupted();
                long leftMicros = (deadline - System.nanoTime()) / 1000;
                if (leftMicros <= 0) {
                    return null;
                }
                long pause = ThreadLocalRandom.current().nextLong(pauseMicros / 2, pauseMicros + 1);
                Uninterruptibles.sleepUninterruptibly(Math.min(pause, leftMicros), TimeUnit.MICROSECONDS);
                pauseMicros = Math.min(LONGEST_PAUSE_MICROS, 2 * pauseMicros);
            }
            return () -> release(lockKey, owner);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** If it is unknown whether the lock is held, because the call was interrupted or had no answer, it is released. */
    private boolean set(byte[] key, byte[] owner) {
        try {
            return run(LOCK, key, owner, Long.toString(lease.toMillis()).getBytes(StandardCharsets.US_ASCII));
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                release(key, owner);
                return false;
            }
            if (!redis.blocks() && RedisErrors.of("", e).isAmbiguous()) {
                // Redis executes it after the other call, and nobody has to wait for that.
                CompletableFuture<?> unused = redis.start(UNLOCK, timeout, new byte[][] {key}, owner);
            }
            throw e;
        }
    }

    private void release(byte[] key, byte[] owner) {
        try {
            run(UNLOCK, key, owner);
        } catch (RuntimeException e) {
            // What was decided under the lock is saved and stands.
            log.warn("Lock not released, so others wait until it expires after {}", lease, e);
        }
    }

    private boolean run(LuaScript script, byte[] key, byte[]... arguments) {
        return (Long) AsyncFailures.join(redis.start(script, timeout, new byte[][] {key}, arguments))
                        .get(0)
                == 1;
    }
}
