package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.Decision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Callers that lose interest disturb nobody. */
class GroupCommitCancelTest {

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void what_was_cancelled_before_it_was_sent_is_never_sent() {
        ask("a", 1);
        CompletableFuture<Decision> before = ask("a", 2);
        CompletableFuture<Decision> cancelled = ask("a", 3);
        CompletableFuture<Decision> after = ask("a", 4);
        assertThat(cancelled.cancel(false)).isTrue();
        backend.call(0).answer();
        backend.call(1).answer();
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("a:2", "a:4"));
        assertThat(before.join().limit()).isEqualTo(2);
        assertThat(after.join().limit()).isEqualTo(4);
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void a_queue_of_which_nothing_is_left_makes_no_call() {
        ask("a", 1);
        for (int i = 0; i < 30; i++) {
            ask("k" + i, 1).cancel(true);
        }
        backend.call(0).answer();
        assertThat(backend.calls).hasSize(1);
        ask("b", 2);
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("b:2"));
    }

    @Test
    void what_was_sent_before_it_was_cancelled_is_decided_all_the_same() {
        ask("first", 1);
        CompletableFuture<Decision> before = ask("a", 1);
        CompletableFuture<Decision> cancelled = ask("a", 2);
        CompletableFuture<Decision> after = ask("a", 3);
        backend.call(0).answer();
        assertThat(cancelled.cancel(false)).isTrue();
        backend.call(1).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("a:1", "a:2", "a:3"));
        assertThat(before.join().limit()).isEqualTo(1);
        assertThat(after.join().limit()).isEqualTo(3);
        assertThat(cancelled).isCancelled();
    }

    @Test
    void the_place_of_a_request_that_was_held_back_is_not_taken_by_cancelling_it() {
        ask("first", 1);
        ask("a", 1);
        CompletableFuture<Decision> heldBack =
                PendingRequest.start(engine, "a", io.limiter.algorithm.TokenBucket.of(2, 2), HandEngine.request(2));
        CompletableFuture<Decision> after = ask("a", 3);
        backend.call(0).answer();
        heldBack.cancel(false);
        backend.call(1).answer();
        backend.call(2).answer();
        assertThat(backend.sent()).containsExactly(List.of("first:1"), List.of("a:1"), List.of("a:3"));
        assertThat(after.join().limit()).isEqualTo(3);
    }

    @Test
    void a_caller_that_is_interrupted_while_it_waits_gets_its_decision_and_stays_interrupted() throws Exception {
        CompletableFuture<Decision> other = ask("a", 1);
        AtomicReference<Decision> decided = new AtomicReference<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            decided.set(PendingRequest.start(engine, "a", HandEngine.LIMIT, HandEngine.request(2))
                    .await());
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        awaitWaiting(caller);
        caller.interrupt();
        CompletableFuture<Decision> later = ask("a", 3);
        backend.call(0).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("a:2", "a:3"));
        backend.call(1).answer();
        caller.join();
        assertThat(decided.get().limit()).isEqualTo(2);
        assertThat(interrupted).isTrue();
        assertThat(other.join().limit()).isEqualTo(1);
        assertThat(later.join().limit()).isEqualTo(3);
    }

    static void awaitWaiting(Thread thread) {
        Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);
    }

    private CompletableFuture<Decision> ask(String key, int permits) {
        return PendingRequest.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }
}
