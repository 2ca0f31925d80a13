package io.limiter.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** There is one thread for each call that blocks at the same time, and no more. */
@Tag("threads")
class BlockingCallsTest {

    private final BlockingCalls calls = new BlockingCalls();

    @AfterEach
    void shutDown() {
        calls.shutdownNow();
    }

    @Test
    void sequential_calls_share_a_few_threads() throws ExecutionException, InterruptedException {
        for (int i = 0; i < 1000; i++) {
            calls.submit(() -> {}).get();
        }
        assertThat(calls.getLargestPoolSize()).isLessThan(BlockingCalls.MAX_THREADS / 2);
    }

    @Test
    void blocking_calls_have_a_thread_each_up_to_the_maximum_and_further_ones_are_queued() throws Exception {
        CountDownLatch blocked = new CountDownLatch(BlockingCalls.MAX_THREADS);
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(3 * BlockingCalls.MAX_THREADS);
        for (int i = 0; i < 3 * BlockingCalls.MAX_THREADS; i++) {
            calls.execute(() -> {
                blocked.countDown();
                Uninterruptibles.awaitUninterruptibly(released);
                done.countDown();
            });
        }
        blocked.await();
        assertThat(calls.getPoolSize()).isEqualTo(BlockingCalls.MAX_THREADS);
        assertThat(calls.getQueue()).hasSize(2 * BlockingCalls.MAX_THREADS);
        released.countDown();
        done.await();
    }

    @Test
    void calls_after_the_shutdown_are_rejected_and_queued_ones_run() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(BlockingCalls.MAX_THREADS + 1);
        for (int i = 0; i <= BlockingCalls.MAX_THREADS; i++) {
            calls.execute(() -> {
                Uninterruptibles.awaitUninterruptibly(released);
                done.countDown();
            });
        }
        calls.shutdown();
        assertThatThrownBy(() -> calls.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        released.countDown();
        done.await();
    }
}
