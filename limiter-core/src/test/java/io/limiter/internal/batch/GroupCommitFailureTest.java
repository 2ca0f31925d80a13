package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.assertFailed;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.Outcome;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A failed call fails its own requests and no others. */
@Tag("threads")
class GroupCommitFailureTest {

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void a_failed_call_fails_its_requests_by_their_keys_and_no_later_ones() {
        request(engine, "first", 1);
        CompletableFuture<Outcome> a = request(engine, "a", 1);
        CompletableFuture<Outcome> b = request(engine, "b", 2);
        backend.call(0).answer();
        CompletableFuture<Outcome> next = request(engine, "a", 3);
        backend.call(1).fail(new IllegalStateException("connection lost"));
        assertFailed(a, "a", "connection lost");
        assertFailed(b, "b", "connection lost");
        assertThat(next).isNotDone();
        backend.call(2).answer();
        assertThat(next.join().limit()).isEqualTo(3);
    }

    static List<Throwable> whatStartThrows() {
        return List.of(new IllegalStateException("not connected"), new StackOverflowError("not connected"));
    }

    @ParameterizedTest
    @MethodSource("whatStartThrows")
    void a_call_that_cannot_be_started_fails_its_requests(Throwable thrown) {
        backend.onStart = call -> sneakyThrow(thrown);
        assertFailed(request(engine, "a", 1), "a", "not connected");
        assertThatThrownBy(() -> request(engine, "b", 1).await())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("'b'")
                .hasMessageContaining("not connected");
        backend.onStart = HandEngine.Call::answer;
        assertThat(request(engine, "a", 2).join().limit()).isEqualTo(2);
    }

    @Test
    void a_key_that_fails_in_a_call_fails_its_own_requests_only() {
        request(engine, "first", 1);
        CompletableFuture<Outcome> good = request(engine, "good", 1);
        CompletableFuture<Outcome> bad = request(engine, "bad", 2);
        CompletableFuture<Outcome> bad2 = request(engine, "bad", 3);
        CompletableFuture<Outcome> good2 = request(engine, "good", 4);
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
        assertThatThrownBy(() -> request(engine, "a", 1).await())
                .isInstanceOf(LimiterBackendException.class)
                .satisfies(e -> assertThat(e.getStackTrace())
                        .anyMatch(
                                frame -> frame.getClassName().equals(getClass().getName())));
    }

    @Test
    void a_callback_that_throws_affects_no_other_request() {
        request(engine, "first", 1);
        CompletableFuture<Object> broken = request(engine, "a", 1).thenApply(decision -> {
            throw new IllegalArgumentException("in the callback");
        });
        CompletableFuture<Outcome> after = request(engine, "a", 2);
        backend.call(0).answer();
        backend.call(1).answer();
        assertThat(broken).isCompletedExceptionally();
        assertThat(after.join().limit()).isEqualTo(2);
        request(engine, "a", 3);
        assertThat(backend.calls).hasSize(3);
    }

    @Test
    void without_a_thread_for_a_blocking_call_its_requests_fail_and_later_ones_are_sent() {
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
        assertFailed(request(blocking, "a", 1), "a", "unable to create native thread");
        assertThat(request(blocking, "a", 2).join().limit()).isEqualTo(2);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneakyThrow(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
