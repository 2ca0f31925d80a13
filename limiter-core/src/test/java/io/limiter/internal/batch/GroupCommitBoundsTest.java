package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** No call and no queue grows without end, and nothing is lost where they end. */
class GroupCommitBoundsTest {

    private final HandEngine backend = new HandEngine();

    @Test
    void beyond_its_bound_the_queue_takes_nobody_until_there_is_room_again() {
        GroupCommit engine = engine(3, 100, 100);
        ask(engine, "first", 1);
        List<CompletableFuture<Decision>> waiting =
                List.of(ask(engine, "a", 1), ask(engine, "a", 2), ask(engine, "b", 3));
        for (int i = 0; i < 5; i++) {
            GroupCommitFailureTest.assertFailed(
                    ask(engine, "c", 4), "c", "3 requests are queued already: Redis is unavailable or too slow");
            assertThatThrownBy(() -> PendingRequest.start(engine, "d", HandEngine.LIMIT, HandEngine.request(5))
                            .await())
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining("'d'")
                    .hasMessageContaining("3 requests are queued");
        }
        backend.call(0).answer();
        CompletableFuture<Decision> again = ask(engine, "c", 6);
        backend.call(1).answer();
        backend.call(2).answer();
        assertThat(waiting).allMatch(each -> each.join().granted());
        assertThat(again.join().limit()).isEqualTo(6);
        assertThat(backend.sent()).containsExactly(List.of("first:1"), List.of("a:1", "a:2", "b:3"), List.of("c:6"));
    }

    @Test
    void what_was_cancelled_gives_its_place_back_with_the_next_call() {
        GroupCommit engine = engine(2, 100, 100);
        ask(engine, "first", 1);
        ask(engine, "a", 1).cancel(false);
        ask(engine, "a", 2).cancel(false);
        backend.call(0).answer();
        ask(engine, "second", 1);
        assertThat(ask(engine, "a", 3)).isNotCompletedExceptionally();
        assertThat(ask(engine, "a", 4)).isNotCompletedExceptionally();
        assertThat(ask(engine, "a", 5)).isCompletedExceptionally();
    }

    @Test
    void a_call_carries_no_more_requests_than_it_may() {
        GroupCommit engine = engine(1000, 100, 10);
        ask(engine, "first", 1);
        List<CompletableFuture<Decision>> waiting = ask(engine, 95, 3);
        answerAll();
        assertThat(backend.calls)
                .hasSize(11)
                .allSatisfy(call -> assertThat(call.requests()).hasSizeLessThanOrEqualTo(10));
        assertThat(waiting).allMatch(each -> each.join().granted());
    }

    @Test
    void a_call_carries_no_more_keys_than_it_may() {
        GroupCommit engine = engine(1000, 4, 1000);
        ask(engine, "first", 1);
        List<CompletableFuture<Decision>> waiting = ask(engine, 95, 10);
        answerAll();
        assertThat(backend.calls).allSatisfy(call -> assertThat(call.batch).hasSizeLessThanOrEqualTo(4));
        assertThat(waiting).allMatch(each -> each.join().granted());
        assertThat(backend.sent().stream().mapToInt(List::size).sum()).isEqualTo(96);
    }

    @Test
    void at_the_bounds_too_requests_go_in_the_order_in_which_they_came() {
        GroupCommit engine = engine(1000, 2, 3);
        ask(engine, "first", 1);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            waiting.add(ask(engine, "k" + (i * i) % 7, 1));
        }
        answerAll();
        for (int key = 0; key < 7; key++) {
            List<Long> order = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                if ((i * i) % 7 == key) {
                    order.add(waiting.get(i).join().remaining());
                }
            }
            assertThat(order).isSorted();
        }
    }

    private GroupCommit engine(int maxQueued, int maxKeysPerCall, int maxRequestsPerCall) {
        return new GroupCommit(
                backend,
                new GroupCommit.Settings(1, maxQueued, maxKeysPerCall, maxRequestsPerCall, 32, Duration.ZERO),
                Runnable::run,
                Patience.guard());
    }

    private List<CompletableFuture<Decision>> ask(GroupCommit engine, int times, int keys) {
        List<CompletableFuture<Decision>> asked = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            asked.add(ask(engine, "k" + i % keys, 1));
        }
        return asked;
    }

    private void answerAll() {
        for (int i = 0; i < backend.calls.size(); i++) {
            backend.call(i).answer();
        }
    }

    private static CompletableFuture<Decision> ask(GroupCommit engine, String key, int permits) {
        return PendingRequest.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }
}
