package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.answerAll;
import static io.limiter.internal.batch.Requests.assertFailed;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.testing.Decisions;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limit sets share calls as requests do. */
@Tag("threads")
class GroupCommitSetsTest {

    private final HandEngine backend = new HandEngine();

    @Test
    void sets_that_arrive_during_a_call_share_the_next_in_their_order() {
        GroupCommit engine = engine(100, Runnable::run);
        Ask first = set(engine, "a", "b");
        Ask second = set(engine, "c", "a", "b");
        Ask third = set(engine, "a", "b");
        Ask fourth = set(engine, "a", "b");
        assertThat(backend.sent()).containsExactly(List.of("a:1", "b:2"));
        backend.call(0).answer();
        assertThat(backend.sent())
                .hasSize(2)
                .last()
                .isEqualTo(List.of("c:1", "a:2", "b:3", "a:1", "b:2", "a:1", "b:2"));
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        backend.call(1).answer();
        assertThat(second.join().parts()).extracting(Outcome::limit).containsExactly(1L, 2L, 3L);
        assertThat(List.of(second, third, fourth))
                .flatExtracting(set -> set.join().parts())
                .extracting(Outcome::remaining)
                .containsExactly(3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void sets_and_requests_in_turn_share_two_calls() {
        GroupCommit engine = engine(100, Runnable::run);
        request(engine, "first", 1);
        set(engine, "first", "second");
        for (int i = 0; i < 3; i++) {
            request(engine, "a", 1);
            set(engine, "a", "b");
        }
        answerAll(backend);
        assertThat(backend.sent())
                .containsExactlyInAnyOrder(
                        List.of("first:1"),
                        List.of("first:1", "second:2"),
                        List.of("a:1", "a:1", "a:1"),
                        List.of("a:1", "b:2", "a:1", "b:2", "a:1", "b:2"));
    }

    @Test
    void a_call_has_a_bounded_number_of_parts() {
        GroupCommit engine = engine(5, Runnable::run);
        set(engine, "first", "second");
        for (int i = 0; i < 3; i++) {
            set(engine, "a", "b");
        }
        set(engine, "a", "b", "c", "d", "e", "f");
        answerAll(backend);
        assertThat(backend.sent()).extracting(List::size).containsExactly(2, 4, 2, 6);
    }

    @Test
    void a_set_that_fails_fails_alone() {
        GroupCommit engine = engine(100, Runnable::run);
        set(engine, "first", "second");
        Ask good = set(engine, "a", "b");
        Ask bad = set(engine, "a", "bad");
        Ask alsoGood = set(engine, "a", "b");
        backend.call(0).answer();
        backend.call(1).answerAllBut("bad");
        assertFailed(bad, "bad", "it holds a list");
        assertThat(good).isCompleted();
        assertThat(alsoGood).isCompleted();
    }

    @Test
    void sets_of_a_call_that_was_not_executed_are_sent_again() {
        GroupCommit engine = engine(100, Runnable::run);
        backend.onStart = call -> {
            if (backend.calls.size() == 2) {
                call.fail(new LimiterBackendException(Kind.RETRYABLE, "LOADING", "a", "loading", null, null));
            } else if (backend.calls.size() > 2) {
                call.answer();
            }
        };
        set(engine, "first", "second");
        List<Ask> sets = List.of(set(engine, "a", "b"), set(engine, "c", "b"));
        backend.call(0).answer();
        assertThat(sets).allSatisfy(set -> assertThat(set).succeedsWithin(Patience.DECISION_TIMEOUT));
        assertThat(backend.sent().get(1)).containsExactly("a:1", "b:2", "c:1", "b:2");
        assertThat(backend.sent().subList(2, backend.calls.size()))
                .flatMap(sent -> sent)
                .as("in one call or two, because each has a pause of its own")
                .containsExactlyInAnyOrder("a:1", "b:2", "c:1", "b:2");
    }

    @Test
    void what_was_cancelled_is_not_sent_and_a_closed_engine_fails_the_others() {
        GroupCommit engine = engine(100, Runnable::run);
        Ask sent = set(engine, "a", "b");
        Ask cancelled = set(engine, "c", "d");
        assertThat(engine.queued()).isEqualTo(1);
        assertThat(cancelled.cancel(true)).isTrue();
        set(engine, "e", "f");
        backend.call(0).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("e:1", "f:2"));
        Ask queued = set(engine, "g", "h");
        engine.close();
        assertFailed(queued, "g", "closed");
        assertFailed(set(engine, "i", "j"), "i", "closed");
        assertThat(sent).isCompleted();
        assertThat(backend.calls).hasSize(2);
    }

    @Test
    void a_full_queue_fails_the_next_set() {
        GroupCommit engine = new GroupCommit(
                backend,
                GroupCommit.Settings.DEFAULT.withMaxQueued(1).withYield(Duration.ZERO),
                Runnable::run,
                Patience.guard());
        set(engine, "a", "b");
        set(engine, "a", "b");
        assertFailed(set(engine, "c", "d"), "c", "1 requests wait to be sent already");
    }

    @Test
    void sets_in_one_lane_share_calls_and_sets_of_several_lanes_wait_for_none() {
        backend.lanes = 2;
        GroupCommit engine = engine(100, Runnable::run);
        set(engine, "a", "c");
        set(engine, "a", "c");
        set(engine, "b", "d");
        set(engine, "a", "b");
        set(engine, "a", "b");
        assertThat(backend.sent())
                .containsExactly(List.of("a:1", "c:2"), List.of("b:1", "d:2"), List.of("a:1"), List.of("a:1"));
    }

    @Test
    void blocking_calls_are_made_by_the_threads_for_them() {
        List<Runnable> tasks = new ArrayList<>();
        GroupCommit engine = engine(100, tasks::add);
        backend.blocks = true;
        backend.onStart = HandEngine.Call::answer;
        List<Ask> sets = List.of(set(engine, "a", "b"), set(engine, "a", "b"));
        assertThat(backend.calls).isEmpty();
        tasks.get(0).run();
        assertThat(sets).allMatch(CompletableFuture::isDone);
        assertThat(backend.sent()).containsExactly(List.of("a:1", "b:2", "a:1", "b:2"));
    }

    /** With one permit for the first key, two for the next, and so on. */
    private static Ask set(GroupCommit engine, String... keys) {
        List<KeyRequests<?>> parts = new ArrayList<>();
        for (String key : keys) {
            parts.add(KeyRequests.of(key, HandEngine.LIMIT, HandEngine.request(parts.size() + 1)));
        }
        return Decisions.startSet(engine, parts);
    }

    private GroupCommit engine(int maxKeysPerCall, Executor blockingCalls) {
        return new GroupCommit(
                backend,
                new GroupCommit.Settings(1, 1000, maxKeysPerCall, 1000, 32, Duration.ZERO),
                blockingCalls,
                Patience.guard());
    }
}
