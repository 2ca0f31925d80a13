package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.step.Request;
import io.limiter.testing.Concurrently;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Callers of both kinds on several threads, keys under two limits, cancels, calls that fail and keys that fail, answered
 * by a thread of its own: each request is sent once or not at all, in the order of its thread and key, and is completed
 * with the decision for it.
 */
@Tag("threads")
class GroupCommitStressTest {

    private static final int THREADS = 6;
    private static final int REQUESTS = 3000;
    private static final int KEYS = 7;
    private static final TokenBucket OTHER_LIMIT = TokenBucket.of(2, 2);

    private final HandEngine backend = new HandEngine();
    private final BlockingCalls blockingCalls = new BlockingCalls();
    private final LinkedBlockingQueue<HandEngine.Call> inFlight = new LinkedBlockingQueue<>();
    private final AtomicInteger threads = new AtomicInteger();
    private final Map<Integer, Expected> expected = new ConcurrentHashMap<>();

    @AfterEach
    void end() {
        blockingCalls.shutdown();
    }

    @ParameterizedTest(name = "{0} lanes, blocking: {1}, {2} calls, {3} keys and {4} requests a call")
    @CsvSource({
        "1, false, 4, 1000, 1000, 8",
        "1, false, 1, 3, 10, 32",
        "1, false, 3, 2, 1, 1",
        "4, false, 4, 1000, 20, 8",
        "1, true, 4, 1000, 1000, 8",
        "4, true, 4, 3, 10, 32"
    })
    void each_is_completed_once_and_none_is_sent_twice_lost_or_overtaken(
            int lanes, boolean blocks, int maxCalls, int maxKeys, int maxRequests, int another) {
        backend.lanes = lanes;
        backend.blocks = blocks;
        backend.onStart = inFlight::add;
        GroupCommit engine = new GroupCommit(
                backend,
                new GroupCommit.Settings(maxCalls, 1_000_000, maxKeys, maxRequests, another, Duration.ZERO),
                blockingCalls,
                Patience.guard());
        Thread answering = new Thread(this::answer);
        answering.start();
        try {
            Concurrently.run(THREADS, () -> requestAll(engine, threads.getAndIncrement()));
            Awaitility.await().until(() -> expected.values().stream().allMatch(Expected::isDone));
        } finally {
            answering.interrupt();
        }
        assertThat(expected).hasSize(THREADS * REQUESTS);
        checkSent();
        checkCompleted();
    }

    /** The number of a request is its permits, so that the backend knows which it is. */
    private void requestAll(GroupCommit engine, int thread) {
        Random random = new Random(Seed.VALUE + thread);
        for (int i = 0; i < REQUESTS; i++) {
            int id = 1 + thread * REQUESTS + i;
            Expected mine = new Expected(thread, "k" + random.nextInt(KEYS), Request.take(id, random.nextInt(1000)));
            TokenBucket limit = random.nextInt(20) == 0 ? OTHER_LIMIT : HandEngine.LIMIT;
            expected.put(id, mine);
            if (random.nextInt(4) == 0) {
                try {
                    mine.future.complete(
                            Ask.start(engine, mine.key, limit, mine.request).await());
                } catch (LimiterBackendException e) {
                    mine.future.completeExceptionally(e);
                }
            } else {
                CompletableFuture<Outcome> decided = Ask.start(engine, mine.key, limit, mine.request);
                decided.whenComplete((decision, error) -> mine.complete(decision, error));
                if (random.nextInt(5) == 0) {
                    mine.cancelled = decided.cancel(false);
                }
            }
        }
    }

    private void answer() {
        Random random = Seed.random();
        try {
            while (true) {
                HandEngine.Call call = inFlight.take();
                switch (random.nextInt(12)) {
                    case 0 -> call.fail(new IllegalStateException("connection lost"));
                    case 1 -> call.answerAllBut("k" + random.nextInt(KEYS));
                    default -> call.answer();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkSent() {
        Map<Integer, Integer> sent = new HashMap<>();
        Map<String, List<Integer>> order = new HashMap<>();
        for (HandEngine.Call call : backend.calls) {
            assertThat(call.batch).extracting(KeyRequests::key).doesNotHaveDuplicates();
            assertThat(call.batch.stream().map(keyed -> backend.laneOf(keyed.key())))
                    .containsOnly(laneOf(call));
            for (KeyRequests<?> keyed : call.batch) {
                for (Request request : keyed.requests()) {
                    Expected of = expected.get(Math.toIntExact(request.permits()));
                    assertThat(of.key).isEqualTo(keyed.key());
                    assertThat(of.request).isEqualTo(request);
                    sent.merge(Math.toIntExact(request.permits()), 1, Integer::sum);
                    order.computeIfAbsent(of.thread + keyed.key(), k -> new ArrayList<>())
                            .add(Math.toIntExact(request.permits()));
                }
            }
        }
        assertThat(sent.values()).as(Seed.hint() + "sent once").containsOnly(1);
        assertThat(order.values())
                .as(Seed.hint() + "in order")
                .allSatisfy(ids -> assertThat(ids).isSorted());
        expected.forEach((id, each) -> assertThat(sent.containsKey(id) || each.cancelled)
                .as(Seed.hint() + "request %d was sent or cancelled", id)
                .isTrue());
    }

    private int laneOf(HandEngine.Call call) {
        return backend.laneOf(call.batch.get(0).key());
    }

    private void checkCompleted() {
        int decided = 0;
        for (Map.Entry<Integer, Expected> each : expected.entrySet()) {
            Expected request = each.getValue();
            assertThat(request.completions.get() + (request.future.isDone() ? 1 : 0))
                    .isPositive();
            assertThat(request.completions).hasValueLessThanOrEqualTo(1);
            if (!request.future.isCompletedExceptionally()) {
                Outcome decision = request.future.join();
                assertThat(decision.limit()).isEqualTo((long) each.getKey());
                assertThat(decision.waitMicros()).isEqualTo(request.request.timeoutMicros());
                decided++;
            }
        }
        assertThat(decided).isGreaterThan(THREADS * REQUESTS / 2);
    }

    private static final class Expected {

        private final int thread;
        private final String key;
        private final Request request;
        private final CompletableFuture<Outcome> future = new CompletableFuture<>();
        private final AtomicInteger completions = new AtomicInteger();
        private volatile boolean cancelled;

        Expected(int thread, String key, Request request) {
            this.thread = thread;
            this.key = key;
            this.request = request;
        }

        void complete(Outcome decision, Throwable error) {
            completions.incrementAndGet();
            if (error == null) {
                future.complete(decision);
            } else {
                future.completeExceptionally(error);
            }
        }

        boolean isDone() {
            return future.isDone();
        }
    }
}
