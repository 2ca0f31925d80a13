package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What becomes of requests when their limiters are closed. */
class GroupCommitCloseTest {

    private final HandEngine backend = new HandEngine();
    private final BlockingCalls blockingCalls = new BlockingCalls();
    private final Guard guard = Patience.guard();
    private final GroupCommit engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, blockingCalls, guard);

    @Test
    void what_waits_and_what_comes_fails_and_what_was_sent_is_answered() {
        CompletableFuture<Decision> sent = ask("a", 1);
        CompletableFuture<Decision> waits = ask("a", 2);
        engine.close();
        guard.close();
        assertClosed(waits, "a");
        assertClosed(ask("b", 3), "b");
        assertThatThrownBy(() -> PendingRequest.start(engine, "c", HandEngine.LIMIT, HandEngine.request(4))
                        .await())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessage("no decision for key 'c': the limiters were closed");
        assertThat(sent).isNotDone();
        backend.call(0).answer();
        assertThat(sent.join().limit()).isEqualTo(1);
        assertThat(backend.calls).hasSize(1);
    }

    @Test
    void what_pauses_before_it_is_tried_again_fails() {
        backend.onStart = call -> call.fail(new LimiterBackendException(
                LimiterBackendException.Kind.RETRYABLE, "LOADING", "a", "loading", null, null));
        for (int i = 0; i < 20; i++) {
            GroupCommit closed = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, blockingCalls, guard);
            CompletableFuture<Decision> pauses =
                    PendingRequest.start(closed, "a", HandEngine.LIMIT, HandEngine.request(1));
            closed.close();
            pauses.handle((decision, error) -> "over").join();
            assertClosed(pauses, "a");
        }
    }

    @Test
    void a_caller_that_waits_is_woken() throws Exception {
        ask("a", 1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                PendingRequest.start(engine, "b", HandEngine.LIMIT, HandEngine.request(1))
                        .await();
            } catch (LimiterBackendException e) {
                thrown.complete(e);
            }
        });
        caller.start();
        GroupCommitCancelTest.awaitWaiting(caller);
        engine.close();
        caller.join();
        assertThat(thrown.join()).hasMessage("no decision for key 'b': the limiters were closed");
    }

    @Test
    void closing_before_the_first_request_and_closing_twice_is_closing() {
        engine.close();
        engine.close();
        assertClosed(ask("a", 1), "a");
        engine.close();
        assertThat(backend.calls).isEmpty();
    }

    @Test
    void lanes_that_were_never_used_are_closed_too() {
        backend.lanes = 100;
        ask("a", 1);
        engine.close();
        assertClosed(ask("b", 1), "b");
    }

    @Test
    void what_waits_for_a_thread_that_will_not_come_fails() {
        backend.blocks = true;
        blockingCalls.shutdown();
        assertClosed(ask("a", 1), "a");
        assertClosed(ask("a", 2), "a");
    }

    @Test
    void no_thread_is_left() {
        backend.blocks = true;
        backend.onStart = HandEngine.Call::answer;
        assertThat(ask("a", 1).join().granted()).isTrue();
        engine.close();
        blockingCalls.shutdown();
        Awaitility.await().until(blockingCalls::isTerminated);
    }

    private static void assertClosed(CompletableFuture<Decision> future, String key) {
        GroupCommitFailureTest.assertFailed(future, key, "the limiters were closed");
    }

    private CompletableFuture<Decision> ask(String key, int permits) {
        return PendingRequest.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }
}
