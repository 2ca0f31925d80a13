package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.awaitWaiting;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cancelled requests do not affect others. */
@Tag("threads")
class GroupCommitCancelTest {

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void a_request_cancelled_before_it_was_sent_is_never_sent() {
        request(engine, "a", 1);
        CompletableFuture<Outcome> before = request(engine, "a", 2);
        CompletableFuture<Outcome> cancelled = request(engine, "a", 3);
        CompletableFuture<Outcome> after = request(engine, "a", 4);
        assertThat(cancelled.cancel(false)).isTrue();
        backend.call(0).answer();
        backend.call(1).answer();
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("a:2", "a:4"));
        assertThat(before.join().limit()).isEqualTo(2);
        assertThat(after.join().limit()).isEqualTo(4);
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void a_queue_of_cancelled_requests_makes_no_call() {
        request(engine, "a", 1);
        for (int i = 0; i < 30; i++) {
            request(engine, "k" + i, 1).cancel(true);
        }
        backend.call(0).answer();
        assertThat(backend.calls).hasSize(1);
        request(engine, "b", 2);
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("b:2"));
    }

    @Test
    void a_request_cancelled_after_it_was_sent_leaves_the_others_of_its_call() {
        request(engine, "first", 1);
        CompletableFuture<Outcome> before = request(engine, "a", 1);
        CompletableFuture<Outcome> cancelled = request(engine, "a", 2);
        CompletableFuture<Outcome> after = request(engine, "a", 3);
        backend.call(0).answer();
        assertThat(cancelled.cancel(false)).isTrue();
        backend.call(1).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("a:1", "a:2", "a:3"));
        assertThat(before.join().limit()).isEqualTo(1);
        assertThat(after.join().limit()).isEqualTo(3);
        assertThat(cancelled).isCancelled();
    }

    @Test
    void a_request_that_did_not_fit_and_is_cancelled_holds_up_no_other() {
        request(engine, "first", 1);
        request(engine, "a", 1);
        CompletableFuture<Outcome> heldBack = Ask.start(engine, "a", TokenBucket.of(2, 2), HandEngine.request(2));
        CompletableFuture<Outcome> after = request(engine, "a", 3);
        backend.call(0).answer();
        heldBack.cancel(false);
        backend.call(1).answer();
        backend.call(2).answer();
        assertThat(backend.sent()).containsExactly(List.of("first:1"), List.of("a:1"), List.of("a:3"));
        assertThat(after.join().limit()).isEqualTo(3);
    }

    @Test
    void an_interrupted_caller_gets_its_decision_and_stays_interrupted() throws Exception {
        CompletableFuture<Outcome> other = request(engine, "a", 1);
        AtomicReference<Outcome> decided = new AtomicReference<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            decided.set(request(engine, "a", 2).await());
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        awaitWaiting(caller);
        caller.interrupt();
        CompletableFuture<Outcome> later = request(engine, "a", 3);
        backend.call(0).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("a:2", "a:3"));
        backend.call(1).answer();
        caller.join();
        assertThat(decided.get().limit()).isEqualTo(2);
        assertThat(interrupted).isTrue();
        assertThat(other.join().limit()).isEqualTo(1);
        assertThat(later.join().limit()).isEqualTo(3);
    }
}
