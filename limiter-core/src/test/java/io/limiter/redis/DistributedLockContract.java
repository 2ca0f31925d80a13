package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spi.DistributedLock;
import io.limiter.spi.DistributedLock.Held;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract of every distributed lock. */
abstract class DistributedLockContract {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    abstract DistributedLock lock(Duration lease);

    @Test
    void only_one_thread_holds_the_lock_at_a_time() {
        DistributedLock lock = lock(LONG);
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Concurrently.run(8, () -> {
            for (int i = 0; i < 20; i++) {
                try (Held held = lock.tryLock(key(), LONG)) {
                    assertThat(held).isNotNull();
                    most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    holders.decrementAndGet();
                }
            }
        });
        assertThat(most).hasValue(1);
        assertThat(RedisFixture.commands().exists(key())).as("released").isZero();
    }

    @Test
    void without_a_wait_a_held_lock_is_not_acquired() {
        DistributedLock lock = lock(LONG);
        Held held = lock.tryLock(key(), Duration.ZERO);
        assertThat(held).isNotNull();
        assertThat(elsewhere(() -> lock.tryLock(key(), Duration.ZERO))).isNull();
        assertThat(elsewhere(() -> lock.tryLock(key(), Duration.ofMillis(-1))))
                .as("a negative wait")
                .isNull();
        assertThat(elsewhere(() -> tryForAMoment(lock, key()))).isNull();
        held.close();
        Held next = elsewhere(() -> {
            Held got = lock.tryLock(key(), Duration.ZERO);
            got.close();
            return got;
        });
        assertThat(next).isNotNull();
    }

    @Test
    void a_lock_expires_and_a_late_release_frees_no_other_holder() {
        DistributedLock shortLock = lock(Duration.ofMillis(50));
        Held crashed = shortLock.tryLock(key(), Duration.ZERO);
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> RedisFixture.commands().exists(key()) == 0);
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        Thread next = new Thread(() -> {
            try (Held ignored = lock(LONG).tryLock(key(), Duration.ZERO)) {
                held.complete(ignored != null);
                done.join();
            }
        });
        next.start();
        assertThat(held.join()).isTrue();
        crashed.close();
        assertThat(RedisFixture.commands().exists(key()))
                .as("still the next one's")
                .isOne();
        done.complete(null);
        join(next);
        assertThat(RedisFixture.commands().exists(key())).isZero();
    }

    @Test
    void an_interrupt_does_not_end_the_wait_and_stays_set() {
        DistributedLock lock = lock(LONG);
        Held held = lock.tryLock(key(), Duration.ZERO);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try (Held got = lock.tryLock(key(), LONG)) {
                interrupted.complete(got != null && Thread.currentThread().isInterrupted());
            } catch (Throwable e) {
                interrupted.completeExceptionally(e);
            }
        });
        waiter.start();
        awaitParked(waiter);
        interrupt(waiter);
        awaitParked(waiter);
        assertThat(interrupted).isNotDone();
        held.close();
        assertThat(interrupted.join()).isTrue();
        join(waiter);
        assertThat(RedisFixture.commands().exists(key())).as("released").isZero();
    }

    /** Waits for a lock, but not for long. */
    @Nullable
    Held tryForAMoment(DistributedLock lock, String key) {
        return lock.tryLock(key, Duration.ofMillis(30));
    }

    /** Interrupts a thread that waits for the lock. */
    void interrupt(Thread waiter) {
        waiter.interrupt();
    }

    private static void awaitParked(Thread waiter) {
        Awaitility.await()
                .until(() ->
                        waiter.getState() == Thread.State.TIMED_WAITING || waiter.getState() == Thread.State.WAITING);
    }

    private String key() {
        return redis.prefix() + "{k}:lock";
    }

    /** On another thread, because some locks belong to a thread. */
    private static <T> T elsewhere(java.util.function.Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> new Thread(task).start())
                .join();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
