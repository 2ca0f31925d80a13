package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which requests share a call, and in which order they go. */
@Tag("threads")
class GroupCommitQueueTest {

    private final HandEngine backend = new HandEngine();

    @Test
    void a_lone_request_is_sent_immediately() {
        GroupCommit engine = engine(4, 32);
        assertThat(request(engine, "a", 1)).isNotDone();
        assertThat(backend.sent()).containsExactly(List.of("a:1"));
        backend.call(0).answer();
        request(engine, "a", 2);
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("a:2"));
    }

    @Test
    void requests_that_arrive_during_a_call_share_the_next() {
        GroupCommit engine = engine(4, 32);
        request(engine, "a", 1);
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        for (String key : List.of("b", "a", "c", "b", "d")) {
            waiting.add(request(engine, key, waiting.size() + 1));
        }
        assertThat(backend.calls).hasSize(1);
        backend.call(0).answer();
        assertThat(backend.sent()).hasSize(2).last().isEqualTo(List.of("b:1", "b:4", "a:2", "c:3", "d:5"));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        backend.call(1).answer();
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(backend.calls).hasSize(2);
    }

    @Test
    void each_keeps_its_own_permits_and_timeout_and_gets_its_own_decision() {
        GroupCommit engine = engine(4, 32);
        request(engine, "first", 1);
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        for (int permits = 1; permits <= 30; permits++) {
            waiting.add(request(engine, "key" + permits % 7, permits));
        }
        backend.call(0).answer();
        backend.call(1).answer();
        for (int permits = 1; permits <= 30; permits++) {
            Outcome decision = waiting.get(permits - 1).join();
            assertThat(decision.limit()).isEqualTo(permits);
            assertThat(decision.waitMicros()).isEqualTo(permits * 10L);
        }
    }

    @Test
    void requests_for_one_key_are_decided_in_their_order() {
        GroupCommit engine = engine(4, 32);
        List<CompletableFuture<Outcome>> requests = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            requests.add(request(engine, "k", i % 5 + 1));
            request(engine, "other" + i % 3, 1);
            if (i % 10 == 9) {
                backend.call(backend.calls.size() - 1).answer();
            }
        }
        backend.call(backend.calls.size() - 1).answer();
        assertThat(requests).extracting(each -> each.join().remaining()).isSorted();
    }

    @Test
    void a_key_under_another_limit_and_later_requests_wait_for_the_next_call() {
        GroupCommit engine = engine(4, 32);
        TokenBucket other = TokenBucket.of(2, 2);
        request(engine, "first", 1);
        request(engine, "k", 1);
        request(engine, "j", 2);
        Ask.start(engine, "k", other, HandEngine.request(3));
        request(engine, "j", 4);
        request(engine, "k", 5);
        for (int call = 0; call < 4; call++) {
            backend.call(call).answer();
        }
        assertThat(backend.sent())
                .containsExactly(List.of("first:1"), List.of("k:1", "j:2"), List.of("k:3", "j:4"), List.of("k:5"));
        assertThat(backend.call(2).batch.get(0).limit()).isEqualTo(other);
        assertThat(backend.call(3).batch.get(0).limit()).isEqualTo(HandEngine.LIMIT);
    }

    @Test
    void another_call_starts_next_to_the_first_if_enough_requests_wait() {
        GroupCommit engine = engine(3, 2);
        request(engine, "a", 1);
        request(engine, "a", 2);
        request(engine, "a", 3);
        assertThat(backend.calls).as("two are not more than two").hasSize(1);
        request(engine, "a", 4);
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("a:2", "a:3", "a:4"));
        for (int permits = 5; permits <= 8; permits++) {
            request(engine, "a", permits);
        }
        assertThat(backend.calls)
                .as("four are not more than two for each of two calls")
                .hasSize(2);
        request(engine, "a", 9);
        assertThat(backend.calls).hasSize(3);
        for (int permits = 10; permits < 50; permits++) {
            request(engine, "a", permits);
        }
        assertThat(backend.calls).as("three at most").hasSize(3);
        backend.call(1).answer();
        assertThat(backend.calls).hasSize(4);
    }

    @Test
    void with_a_key_for_each_request_half_a_call_starts_another() {
        GroupCommit engine = engine(4, 32);
        request(engine, "first", 1);
        for (int i = 0; i < 20; i++) {
            request(engine, "key" + i, 1);
        }
        backend.call(0).answer();
        for (int i = 0; i < 10; i++) {
            request(engine, "other" + i, 1);
        }
        assertThat(backend.calls).as("ten are not more than half of twenty").hasSize(2);
        request(engine, "other", 1);
        assertThat(backend.calls).hasSize(3);
        for (int i = 0; i < 2 * 5; i++) {
            request(engine, "third" + i, 1);
        }
        assertThat(backend.calls).as("five for each of two calls").hasSize(3);
        request(engine, "third", 1);
        assertThat(backend.calls).hasSize(4);
    }

    @Test
    void calls_of_few_keys_wait_for_more_requests() {
        GroupCommit engine = engine(4, 32);
        request(engine, "first", 1);
        for (int i = 0; i < 20; i++) {
            request(engine, "key" + i % 10, 1);
        }
        backend.call(0).answer();
        for (int i = 0; i < 32; i++) {
            request(engine, "other" + i, 1);
        }
        assertThat(backend.calls).hasSize(2);
        request(engine, "other", 1);
        assertThat(backend.calls).hasSize(3);
    }

    @Test
    void keys_of_different_lanes_neither_share_a_call_nor_wait_for_each_other() {
        backend.lanes = 2;
        GroupCommit engine = engine(4, 32);
        CompletableFuture<Outcome> a = request(engine, "a", 1);
        CompletableFuture<Outcome> b = request(engine, "b", 2);
        request(engine, "a", 3);
        request(engine, "c", 4);
        assertThat(backend.sent()).containsExactly(List.of("a:1"), List.of("b:2"));
        backend.call(1).answer();
        assertThat(b).isDone();
        assertThat(a).isNotDone();
        backend.call(0).answer();
        assertThat(backend.sent()).last().isEqualTo(List.of("a:3", "c:4"));
    }

    @Test
    void the_next_call_is_made_before_the_callers_of_the_last_are_woken() {
        GroupCommit engine = engine(4, 32);
        List<Integer> callsWhenWoken = new ArrayList<>();
        CompletableFuture<Void> woken =
                request(engine, "a", 1).thenAccept(decision -> callsWhenWoken.add(backend.calls.size()));
        request(engine, "a", 2);
        backend.call(0).answer();
        assertThat(woken).isDone();
        assertThat(callsWhenWoken).containsExactly(2);
    }

    private GroupCommit engine(int maxCalls, int minQueuedForAnother) {
        return new GroupCommit(
                backend,
                new GroupCommit.Settings(maxCalls, 1000, 1000, 1000, minQueuedForAnother, Duration.ZERO),
                Runnable::run,
                Patience.guard());
    }
}
