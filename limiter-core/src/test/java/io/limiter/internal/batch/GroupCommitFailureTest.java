package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A call that fails takes its own requests with it and nothing else. */
class GroupCommitFailureTest {

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void a_failed_call_fails_its_own_requests_each_by_its_key_and_the_queue_goes_on() {
        ask("first", 1);
        CompletableFuture<Decision> a = ask("a", 1);
        CompletableFuture<Decision> b = ask("b", 2);
        backend.call(0).answer();
        CompletableFuture<Decision> next = ask("a", 3);
        backend.call(1).fail(new IllegalStateException("connection lost"));
        assertFailed(a, "a", "connection lost");
        assertFailed(b, "b", "connection lost");
        assertThat(next).isNotDone();
        backend.call(2).answer();
        assertThat(next.join().limit()).isEqualTo(3);
    }

    static List<Throwable> whatStartMayThrow() {
        return List.of(new IllegalStateException("not connected"), new StackOverflowError("not connected"));
    }

    @ParameterizedTest
    @MethodSource("whatStartMayThrow")
    void so_does_one_that_could_not_even_be_made(Throwable thrown) {
        backend.onStart = call -> sneakyThrow(thrown);
        assertFailed(ask("a", 1), "a", "not connected");
        assertThatThrownBy(() -> PendingRequest.start(engine, "b", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("'b'")
                .hasMessageContaining("not connected");
        backend.onStart = HandEngine.Call::answer;
        assertThat(ask("a", 2).join().limit()).isEqualTo(2);
    }

    @Test
    void a_key_that_fails_in_a_call_fails_its_own_requests_only() {
        ask("first", 1);
        CompletableFuture<Decision> good = ask("good", 1);
        CompletableFuture<Decision> bad = ask("bad", 2);
        CompletableFuture<Decision> bad2 = ask("bad", 3);
        CompletableFuture<Decision> good2 = ask("good", 4);
        backend.call(0).answer();
        backend.call(1).answerAllBut("bad");
        assertFailed(bad, "bad", "it holds a list");
        assertFailed(bad2, "bad", "it holds a list");
        assertThat(good.join().limit()).isEqualTo(1);
        assertThat(good2.join().limit()).isEqualTo(4);
    }

    @Test
    void a_waiting_caller_sees_itself_in_the_stack_trace() {
        backend.onStart = call -> call.fail(new IllegalStateException("connection lost"));
        assertThatThrownBy(() -> PendingRequest.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .isInstanceOf(LimiterBackendException.class)
                .satisfies(e -> assertThat(e.getStackTrace())
                        .anyMatch(
                                frame -> frame.getClassName().equals(getClass().getName())));
    }

    @Test
    void a_callback_that_throws_harms_nobody() {
        ask("first", 1);
        CompletableFuture<Object> broken = ask("a", 1).thenApply(decision -> {
            throw new IllegalArgumentException("in the callback");
        });
        CompletableFuture<Decision> after = ask("a", 2);
        backend.call(0).answer();
        backend.call(1).answer();
        assertThat(broken).isCompletedExceptionally();
        assertThat(after.join().limit()).isEqualTo(2);
        ask("a", 3);
        assertThat(backend.calls).hasSize(3);
    }

    @Test
    void where_there_is_no_thread_for_a_blocking_call_its_requests_fail_and_later_ones_try_again() {
        List<Runnable> tasks = new ArrayList<>();
        Executor noMemoryAtFirst = task -> {
            tasks.add(task);
            if (tasks.size() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        };
        GroupCommit blocking =
                new GroupCommit(backend, GroupCommit.Settings.DEFAULT, noMemoryAtFirst, Patience.guard());
        backend.blocks = true;
        backend.onStart = HandEngine.Call::answer;
        assertFailed(
                PendingRequest.start(blocking, "a", HandEngine.LIMIT, HandEngine.request(1)),
                "a",
                "unable to create native thread");
        assertThat(PendingRequest.start(blocking, "a", HandEngine.LIMIT, HandEngine.request(2))
                        .join()
                        .limit())
                .isEqualTo(2);
    }

    static void assertFailed(CompletableFuture<Decision> future, String key, String why) {
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        LimiterBackendException.class, e -> assertThat(e.key()).isEqualTo(key))
                .hasMessageContaining("'" + key + "'")
                .hasMessageContaining(why);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneakyThrow(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private CompletableFuture<Decision> ask(String key, int permits) {
        return PendingRequest.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }
}
