package io.limiter.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("threads")
class SleeperTest {

    @Test
    void an_interrupt_does_not_cut_the_sleep_short_and_is_not_lost() throws Exception {
        CompletableFuture<Long> slept = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread sleeper = new Thread(() -> {
            long start = System.nanoTime();
            Sleeper.UNINTERRUPTIBLE.sleep(50_000);
            slept.complete(System.nanoTime() - start);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        sleeper.start();
        sleeper.interrupt();
        assertThat(slept.get()).isGreaterThanOrEqualTo(50_000_000);
        assertThat(interrupted.get()).isTrue();
        sleeper.join();
    }

    @Test
    void cancelled_timers_are_removed_immediately() {
        int before = Timers.waiting();
        List<Runnable> timers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            timers.add(Sleeper.UNINTERRUPTIBLE.later(3_600_000_000L, () -> {}));
        }
        assertThat(Timers.waiting()).isGreaterThanOrEqualTo(1000);
        timers.forEach(Runnable::run);
        // Those of other tests come and go during this one.
        assertThat(Timers.waiting()).isLessThan(before + 500);
    }

    @Test
    void many_timers_need_few_threads_and_one_that_blocks_delays_no_other() {
        BlockingCalls pool = new BlockingCalls("test-timed-");
        Sleeper sleeper = Sleeper.with(pool);
        CountDownLatch released = new CountDownLatch(1);
        sleeper.later(1, () -> Uninterruptibles.awaitUninterruptibly(released));
        for (int round = 0; round < 200; round++) {
            CompletableFuture<?> done = new CompletableFuture<>();
            sleeper.later(1, () -> done.complete(null));
            done.join();
            // A thread that has run its task and is not idle yet would be no use to the next one.
            Eventually.that(() -> assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("test-timed-"))
                    .extracting(Thread::getState)
                    .isSubsetOf(Thread.State.WAITING, Thread.State.TIMED_WAITING));
        }
        assertThat(pool.getLargestPoolSize()).isLessThan(BlockingCalls.MAX_THREADS / 2);
        released.countDown();
        pool.shutdown();
    }
}
