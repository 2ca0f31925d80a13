package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.answerAll;
import static io.limiter.internal.batch.Requests.assertFailed;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.Outcome;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls and queues are bounded, and no request is lost at their bounds. */
@Tag("threads")
class GroupCommitBoundsTest {

    private final HandEngine backend = new HandEngine();

    @Test
    void a_full_queue_fails_further_requests_until_there_is_room() {
        GroupCommit engine = engine(3, 100, 100);
        request(engine, "first", 1);
        List<CompletableFuture<Outcome>> waiting =
                List.of(request(engine, "a", 1), request(engine, "a", 2), request(engine, "b", 3));
        for (int i = 0; i < 5; i++) {
            assertFailed(request(engine, "c", 4), "c", "3 requests wait to be sent already");
            assertThatThrownBy(() -> request(engine, "d", 5).await())
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining("'d'")
                    .hasMessageContaining("3 requests wait to be sent already");
        }
        backend.call(0).answer();
        CompletableFuture<Outcome> again = request(engine, "c", 6);
        backend.call(1).answer();
        backend.call(2).answer();
        assertThat(waiting).allMatch(each -> each.join().isGranted());
        assertThat(again.join().limit()).isEqualTo(6);
        assertThat(backend.sent()).containsExactly(List.of("first:1"), List.of("a:1", "a:2", "b:3"), List.of("c:6"));
    }

    @Test
    void a_cancelled_request_leaves_its_place_with_the_next_call() {
        GroupCommit engine = engine(2, 100, 100);
        request(engine, "first", 1);
        request(engine, "a", 1).cancel(false);
        request(engine, "a", 2).cancel(false);
        backend.call(0).answer();
        request(engine, "second", 1);
        assertThat(request(engine, "a", 3)).isNotCompletedExceptionally();
        assertThat(request(engine, "a", 4)).isNotCompletedExceptionally();
        assertThat(request(engine, "a", 5)).isCompletedExceptionally();
    }

    @Test
    void a_call_has_no_more_requests_than_allowed() {
        GroupCommit engine = engine(1000, 100, 10);
        request(engine, "first", 1);
        List<CompletableFuture<Outcome>> waiting = requests(engine, 95, 3);
        answerAll(backend);
        assertThat(backend.calls)
                .hasSize(11)
                .allSatisfy(call -> assertThat(call.requests()).hasSizeLessThanOrEqualTo(10));
        assertThat(waiting).allMatch(each -> each.join().isGranted());
    }

    @Test
    void a_call_has_no_more_keys_than_allowed() {
        GroupCommit engine = engine(1000, 4, 1000);
        request(engine, "first", 1);
        List<CompletableFuture<Outcome>> waiting = requests(engine, 95, 10);
        answerAll(backend);
        assertThat(backend.calls).allSatisfy(call -> assertThat(call.batch).hasSizeLessThanOrEqualTo(4));
        assertThat(waiting).allMatch(each -> each.join().isGranted());
        assertThat(backend.sent().stream().mapToInt(List::size).sum()).isEqualTo(96);
    }

    @Test
    void bounded_calls_keep_the_order_of_requests() {
        GroupCommit engine = engine(1000, 2, 3);
        request(engine, "first", 1);
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            waiting.add(request(engine, "k" + (i * i) % 7, 1));
        }
        answerAll(backend);
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

    private static List<CompletableFuture<Outcome>> requests(GroupCommit engine, int times, int keys) {
        List<CompletableFuture<Outcome>> requests = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            requests.add(request(engine, "k" + i % keys, 1));
        }
        return requests;
    }
}
