package io.limiter.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.testing.Eventually;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** As many threads as calls that block at once, and no more. */
class BlockingCallsTest {

    private final BlockingCalls calls = new BlockingCalls();

    @AfterEach
    void shutDown() {
        calls.shutdown();
        Eventually.that(() -> assertThat(calls.threads()).isZero());
    }

    @Test
    void calls_that_come_one_after_the_other_share_a_few_threads() {
        assertThat(threadsOfCallsOneAfterTheOther()).hasSizeLessThan(BlockingCalls.MAX_THREADS / 2);
        assertThat(calls.threads()).isLessThan(BlockingCalls.MAX_THREADS / 2);
    }

    /** So the others end, although there is always a call. */
    @Test
    void after_a_burst_such_calls_use_a_few_of_its_threads() throws Exception {
        Block burst = new Block(BlockingCalls.MAX_THREADS);
        burst.started.await();
        burst.end();
        Eventually.that(() -> assertThat(calls.idle()).isEqualTo(BlockingCalls.MAX_THREADS));
        assertThat(threadsOfCallsOneAfterTheOther()).hasSizeLessThan(BlockingCalls.MAX_THREADS / 2);
        assertThat(calls.threads()).isEqualTo(BlockingCalls.MAX_THREADS);
    }

    @Test
    void calls_that_block_at_once_have_a_thread_each_and_what_is_beyond_the_most_waits_its_turn() throws Exception {
        Block block = new Block(3 * BlockingCalls.MAX_THREADS);
        block.started.await();
        assertThat(calls.threads()).isEqualTo(BlockingCalls.MAX_THREADS);
        assertThat(calls.waiting()).isEqualTo(2 * BlockingCalls.MAX_THREADS);
        block.end();
    }

    @Test
    void what_comes_after_the_end_is_rejected_and_what_waits_is_run() throws Exception {
        Block block = new Block(BlockingCalls.MAX_THREADS + 1);
        calls.shutdown();
        assertThatThrownBy(() -> calls.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        block.end();
    }

    @Test
    void a_call_that_throws_or_leaves_its_thread_interrupted_stops_no_other() throws Exception {
        Set<String> thrown = ConcurrentHashMap.newKeySet();
        calls.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> thrown.add(e.getMessage()));
            throw new IllegalStateException("thrown");
        });
        Eventually.that(() -> assertThat(calls.idle()).isEqualTo(1));
        calls.execute(() -> Thread.currentThread().interrupt());
        Eventually.that(() -> assertThat(calls.idle()).isEqualTo(1));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        calls.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
        assertThat(interrupted.get()).isFalse();
        assertThat(thrown).containsExactly("thrown");
        assertThat(calls.threads()).isEqualTo(1);
    }

    private Set<Thread> threadsOfCallsOneAfterTheOther() {
        Set<Thread> used = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 1000; i++) {
            CompletableFuture.runAsync(() -> used.add(Thread.currentThread()), calls)
                    .join();
        }
        return used;
    }

    /** Calls that block until the test ends them. */
    private final class Block {

        final CountDownLatch started = new CountDownLatch(BlockingCalls.MAX_THREADS);
        private final CountDownLatch released = new CountDownLatch(1);
        private final CountDownLatch done;

        Block(int number) {
            done = new CountDownLatch(number);
            for (int i = 0; i < number; i++) {
                calls.execute(() -> {
                    started.countDown();
                    Uninterruptibles.awaitUninterruptibly(released);
                    done.countDown();
                });
            }
        }

        void end() throws InterruptedException {
            released.countDown();
            done.await();
        }
    }
}
