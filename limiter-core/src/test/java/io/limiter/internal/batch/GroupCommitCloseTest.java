package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.assertFailed;
import static io.limiter.internal.batch.Requests.awaitWaiting;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests of closed limiters. */
@Tag("threads")
class GroupCommitCloseTest {

    private final HandEngine backend = new HandEngine();
    private final BlockingCalls blockingCalls = new BlockingCalls();
    private final Guard guard = Patience.guard();
    private final GroupCommit engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, blockingCalls, guard);

    @Test
    void queued_and_later_requests_fail_and_sent_ones_are_answered() {
        CompletableFuture<Outcome> sent = request(engine, "a", 1);
        CompletableFuture<Outcome> waits = request(engine, "a", 2);
        engine.close();
        guard.close();
        assertClosed(waits, "a");
        assertClosed(request(engine, "b", 3), "b");
        assertThatThrownBy(() -> request(engine, "c", 4).await())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessage("no decision for key 'c': the limiters were closed");
        assertThat(sent).isNotDone();
        backend.call(0).answer();
        assertThat(sent.join().limit()).isEqualTo(1);
        assertThat(backend.calls).hasSize(1);
    }

    @Test
    void a_request_that_waits_for_its_retry_fails() {
        backend.onStart = call -> call.fail(new LimiterBackendException(
                LimiterBackendException.Kind.RETRYABLE, "LOADING", "a", "loading", null, null));
        for (int i = 0; i < 20; i++) {
            GroupCommit closed = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, blockingCalls, guard);
            CompletableFuture<Outcome> pauses = request(closed, "a", 1);
            closed.close();
            pauses.handle((decision, error) -> "over").join();
            assertClosed(pauses, "a");
        }
    }

    @Test
    void a_waiting_caller_is_woken() throws Exception {
        request(engine, "a", 1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                request(engine, "b", 1).await();
            } catch (LimiterBackendException e) {
                thrown.complete(e);
            }
        });
        caller.start();
        awaitWaiting(caller);
        engine.close();
        caller.join();
        assertThat(thrown.join()).hasMessage("no decision for key 'b': the limiters were closed");
    }

    @Test
    void it_can_be_closed_before_the_first_request_and_twice() {
        engine.close();
        engine.close();
        assertClosed(request(engine, "a", 1), "a");
        engine.close();
        assertThat(backend.calls).isEmpty();
    }

    @Test
    void lanes_that_were_never_used_are_closed_too() {
        backend.lanes = 100;
        request(engine, "a", 1);
        engine.close();
        assertClosed(request(engine, "b", 1), "b");
    }

    @Test
    void a_request_that_no_thread_will_send_fails() {
        backend.blocks = true;
        blockingCalls.shutdown();
        assertClosed(request(engine, "a", 1), "a");
        assertClosed(request(engine, "a", 2), "a");
    }

    @Test
    void no_thread_is_left() {
        backend.blocks = true;
        backend.onStart = HandEngine.Call::answer;
        assertThat(request(engine, "a", 1).join().isGranted()).isTrue();
        engine.close();
        blockingCalls.shutdown();
        Awaitility.await().until(blockingCalls::isTerminated);
    }

    private static void assertClosed(CompletableFuture<Outcome> future, String key) {
        assertFailed(future, key, "the limiters were closed");
    }
}
