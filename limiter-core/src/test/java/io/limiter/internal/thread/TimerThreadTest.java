package io.limiter.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.internal.time.BlockingCalls;
import io.limiter.testing.FailingStarts;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that cannot be started, and can be a little later. */
@Tag("threads")
class TimerThreadTest {

    @Test
    void an_action_for_which_no_thread_can_be_started_runs_as_soon_as_one_can() throws Exception {
        FailingStarts starts = new FailingStarts(0, 3);
        TimerThread timers = new TimerThread(LimiterThread.named("limiter-test"));
        CompletableFuture<Void> ran = new CompletableFuture<>();
        timers.later(new BlockingCalls(starts), 1, TimeUnit.MILLISECONDS, () -> ran.complete(null));
        ran.get(1, TimeUnit.MINUTES);
        assertThat(starts.haveFailed()).isTrue();
        timers.shutdown();
    }

    @Test
    void an_action_after_the_shutdown_runs_at_last() throws Exception {
        TimerThread timers = new TimerThread(LimiterThread.named("limiter-test"));
        CompletableFuture<Void> ran = new CompletableFuture<>();
        timers.later(
                task -> {
                    timers.shutdown();
                    throw new OutOfMemoryError("unable to create native thread");
                },
                1,
                TimeUnit.MILLISECONDS,
                () -> ran.complete(null));
        ran.get(1, TimeUnit.MINUTES);
    }

    @Test
    void nothing_is_scheduled_without_a_thread_for_the_timer() {
        TimerThread timers = new TimerThread(new FailingStarts(0, 1));
        assertThatThrownBy(() -> timers.schedule(() -> {}, 0, TimeUnit.SECONDS)).isInstanceOf(OutOfMemoryError.class);
        assertThat(timers.getQueue()).isEmpty();
        timers.shutdown();
    }

    @Test
    void a_call_waits_for_a_thread_that_there_is() throws Exception {
        BlockingCalls calls = new BlockingCalls(new FailingStarts(1, 1));
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        calls.execute(first::join);
        calls.execute(() -> second.complete(null));
        first.complete(null);
        second.get(1, TimeUnit.MINUTES);
        calls.shutdown();
    }
}
