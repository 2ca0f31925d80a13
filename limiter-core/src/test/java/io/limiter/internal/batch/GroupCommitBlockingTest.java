package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.testing.Concurrently;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose calls block: no caller makes one, because a caller waits for the decision timeout at most. */
@Tag("threads")
class GroupCommitBlockingTest {

    private final HandEngine backend = new HandEngine();
    private final BlockingCalls threads = new BlockingCalls();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, threads, Patience.guard());

    GroupCommitBlockingTest() {
        backend.blocks = true;
    }

    @AfterEach
    void end() {
        threads.shutdown();
    }

    @Test
    void a_caller_that_waits_does_not_make_the_call_itself() {
        backend.onStart = HandEngine.Call::answer;
        request(engine, "a", 1).await();
        request(engine, "a", 2).await();
        assertThat(backend.calls)
                .hasSize(2)
                .allMatch(call -> call.madeBy.getName().startsWith("limiter-blocking-"));
    }

    @Test
    void a_waiting_caller_makes_no_call_for_later_requests() throws Exception {
        Thread first = new Thread(() -> request(engine, "a", 1).await());
        first.start();
        awaitCalls(1);
        List<CompletableFuture<Outcome>> after = new ArrayList<>();
        for (long permits = 2; permits <= 5; permits++) {
            after.add(request(engine, "a", permits));
        }
        backend.call(0).answer();
        // The second call is still in flight, and the first caller has its decision.
        first.join();
        awaitCalls(2);
        assertThat(backend.sent()).last().isEqualTo(List.of("a:2", "a:3", "a:4", "a:5"));
        assertThat(backend.call(1).madeBy).isNotEqualTo(first);
        backend.call(1).answer();
        assertThat(CompletableFuture.allOf(after.toArray(CompletableFuture[]::new)))
                .succeedsWithin(Duration.ofSeconds(30));
    }

    /** Each decision requests the next one, so that there is always more to send. */
    @Test
    void a_caller_that_others_keep_busy_hands_the_queue_over() {
        int requests = 1000;
        backend.blocks = false;
        backend.onStart = HandEngine.Call::answer;
        Queue<Runnable> handedOver = new ArrayDeque<>();
        GroupCommit busy = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, handedOver::add, Patience.guard());
        CompletableFuture<Integer> chain = new CompletableFuture<>();
        requestOneAfterTheOther(busy, requests, chain);
        assertThat(backend.calls).hasSizeLessThan(requests / 10);
        assertThat(handedOver).hasSize(1);
        handedOver.remove().run();
        assertThat(chain).isCompletedWithValue(0);
        assertThat(backend.calls).hasSize(requests);
        assertThat(handedOver).isEmpty();
    }

    private static void requestOneAfterTheOther(Engine engine, int left, CompletableFuture<Integer> chain) {
        if (left == 0) {
            chain.complete(0);
            return;
        }
        Ask next = new Ask("a", HandEngine.LIMIT, HandEngine.request(1), null);
        next.thenRun(() -> requestOneAfterTheOther(engine, left - 1, chain));
        next.decideBy(engine);
    }

    @Test
    void a_caller_that_does_not_wait_is_not_blocked() {
        CompletableFuture<Outcome> first = request(engine, "a", 1);
        CompletableFuture<Outcome> second = request(engine, "b", 2);
        awaitCalls(1);
        assertThat(backend.call(0).madeBy.getName()).startsWith("limiter-blocking-");
        assertThat(first).isNotDone();
        backend.onStart = HandEngine.Call::answer;
        backend.call(0).answer();
        assertThat(first.join().limit()).isEqualTo(1);
        assertThat(second.join().limit()).isEqualTo(2);
    }

    @Test
    void many_lanes_share_few_threads() {
        backend.lanes = 5000;
        List<CompletableFuture<Outcome>> pending = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            pending.add(request(engine, "k" + i, 1));
        }
        assertThat(threads.getPoolSize()).isEqualTo(BlockingCalls.MAX_THREADS);
        backend.onStart = HandEngine.Call::answer;
        // The first calls may not be in the list yet.
        Awaitility.await().until(() -> {
            backend.calls.forEach(HandEngine.Call::answer);
            return pending.stream().allMatch(CompletableFuture::isDone);
        });
        assertThat(pending).allMatch(each -> each.join().isGranted());
        assertThat(threads.getLargestPoolSize()).isEqualTo(BlockingCalls.MAX_THREADS);
    }

    @Test
    void requests_of_waiting_and_asynchronous_callers_are_all_decided() {
        backend.onStart = HandEngine.Call::answer;
        AtomicInteger decided = new AtomicInteger();
        AtomicInteger number = new AtomicInteger();
        Concurrently.run(8, () -> {
            boolean waits = number.getAndIncrement() % 2 == 0;
            for (int i = 0; i < 500; i++) {
                if (waits) {
                    request(engine, "k" + i % 5, 1).await();
                    decided.incrementAndGet();
                } else {
                    request(engine, "k" + i % 5, 1).thenAccept(decision -> decided.incrementAndGet());
                }
            }
        });
        Awaitility.await().until(() -> decided.get() == 4000);
        assertThat(backend.sent().stream().mapToInt(List::size).sum()).isEqualTo(4000);
    }

    private void awaitCalls(int number) {
        Awaitility.await().until(() -> backend.calls.size() == number);
    }
}
