package io.limiter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

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
}
