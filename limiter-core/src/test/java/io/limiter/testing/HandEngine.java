package io.limiter.testing;

import static io.limiter.testing.Expected.verdict;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A backend by hand: a call stays under way until the test answers it. Each decision says which request it is for: its
 * limit is the requested permits, its wait the timeout, and what remains the number of the decision.
 */
public final class HandEngine implements FutureBackend {

    public static final TokenBucket LIMIT = TokenBucket.of(1, 1);

    public final List<Call> calls = new CopyOnWriteArrayList<>();
    /** What becomes of a call as soon as it is made. */
    public volatile Consumer<Call> onStart = call -> {};

    /** Runs before {@link #blocks()} returns. */
    public volatile Runnable beforeBlocks = () -> {};

    public volatile boolean blocks;
    public volatile int lanes = 1;
    private final AtomicLong decisions = new AtomicLong();

    @Override
    public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
        if (!send.getAsBoolean()) {
            return CompletableFuture.completedFuture(batch.stream()
                    .map(part -> Answer.failed(BackendFailures.notExecuted(part.key(), "it was withdrawn")))
                    .toList());
        }
        Call call = new Call(batch);
        calls.add(call);
        onStart.accept(call);
        if (blocks) {
            call.future.handle((answers, error) -> answers).join();
        }
        return call.future;
    }

    /** All parts of all sets are one call. */
    @Override
    public void startSets(List<io.limiter.internal.backend.Call> sets) {
        List<KeyRequests<?>> parts =
                sets.stream().flatMap(set -> set.keys().stream()).toList();
        answers(parts, () -> true).whenComplete((answers, error) -> {
            int first = 0;
            for (io.limiter.internal.backend.Call set : sets) {
                int end = first + set.keys().size();
                FutureBackend.answerSet(set, answers == null ? null : answers.subList(first, end), error);
                first = end;
            }
        });
    }

    @Override
    public boolean blocks() {
        beforeBlocks.run();
        return blocks;
    }

    @Override
    public int lanes() {
        return lanes;
    }

    @Override
    public int laneOf(String key) {
        return Math.floorMod(key.hashCode(), lanes);
    }

    @Override
    public void delete(String key) {
        throw new UnsupportedOperationException();
    }

    /** What was sent so far, call by call. */
    public List<List<String>> sent() {
        return calls.stream().map(Call::requests).toList();
    }

    public Call call(int number) {
        return calls.get(number);
    }

    public static Request request(long permits) {
        return Request.take(permits, permits * 10L);
    }

    /** One that is under way, or was. */
    public final class Call {

        public final List<KeyRequests<?>> batch;
        public final Thread madeBy = Thread.currentThread();
        private final CompletableFuture<List<Answer>> future = new CompletableFuture<>();

        public Call(List<KeyRequests<?>> batch) {
            this.batch = List.copyOf(batch);
        }

        /** Each as {@code key:permits}. */
        public List<String> requests() {
            List<String> requests = new ArrayList<>();
            for (KeyRequests<?> part : batch) {
                for (Request request : part.requests()) {
                    requests.add(part.key() + ":" + request.permits());
                }
            }
            return requests;
        }

        public void answer() {
            answerAllBut("");
        }

        public void answerAllBut(String failing) {
            future.complete(batch.stream()
                    .map(part -> part.key().equals(failing)
                            ? Answer.failed(BackendFailures.notExecuted(failing, "it holds a list"))
                            : Answer.of(
                                    part.requests().stream().map(this::decision).toList()))
                    .toList());
        }

        public void answer(List<Answer> answers) {
            future.complete(answers);
        }

        public void fail(Throwable error) {
            future.completeExceptionally(error);
        }

        private Verdict decision(Request request) {
            return verdict(
                    true,
                    request.permits(),
                    decisions.incrementAndGet(),
                    request.timeoutMicros(),
                    0,
                    calls.indexOf(this));
        }
    }
}
