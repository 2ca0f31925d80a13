package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides a limit set in several calls, for backends that cannot decide all parts at one moment.
 *
 * <p>All parts are peeked in one call. Then they are taken one after the other up to the first rejection, and what was
 * taken before it is cancelled. Those that rejected the peek are taken first, so that a rejected set usually takes
 * nothing; a peek alone would not save what a rejection saves. After them, those whose cancellation restores everything
 * come before those whose cancellation may not; so one bucket beside windows never has to be cancelled.
 */
public final class SequentialSet {

    private final Backend backend;
    private final List<KeyRequests<?>> parts;
    private final List<Verdict> peeked;
    private final List<Integer> order;
    private final @Nullable Verdict[] taken;

    private SequentialSet(Backend backend, List<KeyRequests<?>> parts, List<Verdict> peeked) {
        this.backend = backend;
        this.parts = parts;
        this.peeked = peeked;
        this.order = IntStream.range(0, parts.size())
                .boxed()
                .sorted(Comparator.comparing((Integer part) -> peeked.get(part).isGranted())
                        .thenComparing(part -> mayLose(parts.get(part).limit())))
                .toList();
        this.taken = new Verdict[parts.size()];
    }

    /**
     * @param call for all or nothing
     */
    public static void decide(Backend backend, Call call) {
        List<KeyRequests<?>> peeks =
                call.keys().stream().<KeyRequests<?>>map(KeyRequests::peek).toList();
        backend.start(peeks, call.send())
                .thenCompose(answers -> new SequentialSet(
                                backend,
                                call.keys(),
                                answers.stream()
                                        .map(answer -> answer.verdicts().get(0))
                                        .toList())
                        .takeFrom(0))
                .whenComplete((decisions, error) -> {
                    if (error == null) {
                        call.answered()
                                .accept(decisions.stream()
                                        .map(decision -> Answer.of(List.of(decision)))
                                        .toList());
                    } else {
                        call.failed(key -> BackendFailures.of(key, error));
                    }
                });
    }

    /** How much a cancellation may not restore: 0 for nothing; less for a ban, which takes nothing. An application's own limit is not known. */
    private static int mayLose(LimitStep<?> limit) {
        if (limit instanceof Ban) {
            return -1;
        }
        if (limit instanceof FixedWindow || limit instanceof SlidingLog || limit instanceof SlidingCounter) {
            return 0;
        }
        return limit instanceof TokenBucket bucket && bucket.warmUp() == null ? 1 : 2;
    }

    private CompletableFuture<List<Verdict>> takeFrom(int place) {
        if (place == order.size()) {
            return CompletableFuture.completedFuture(
                    Arrays.stream(taken).map(Objects::requireNonNull).toList());
        }
        int part = order.get(place);
        return backend.start(List.of(parts.get(part)), () -> true)
                .thenApply(answers -> answers.get(0).verdicts().get(0))
                .handle((decision, error) -> {
                    if (error != null) {
                        return cancelFirst(place, new ArrayList<>(List.of(AsyncFailures.cause(error))));
                    }
                    taken[part] = decision;
                    return decision.isGranted() ? takeFrom(place + 1) : cancelFirst(place, new ArrayList<>());
                })
                .thenCompose(next -> next);
    }

    /**
     * Cancels the grants of the first parts in {@link #order}; permits whose cancellation fails count as taken.
     *
     * @param failures why the set is not decided; empty if the next part rejected
     * @return the rejection and the peeks of the others, unless there are failures
     */
    private CompletableFuture<List<Verdict>> cancelFirst(int count, List<Throwable> failures) {
        int before = failures.size();
        List<KeyRequests<?>> cancellations = order.stream()
                .limit(count)
                .<KeyRequests<?>>map(this::cancellation)
                .toList();
        CompletableFuture<List<Answer>> cancelled = cancellations.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : backend.start(cancellations, () -> true);
        return cancelled.thenCompose(answers -> {
            answers.stream().map(Answer::failure).filter(Objects::nonNull).forEach(failures::add);
            if (failures.isEmpty()) {
                List<Verdict> decisions = new ArrayList<>(peeked);
                int rejecting = order.get(count);
                decisions.set(rejecting, Objects.requireNonNull(taken[rejecting]));
                return CompletableFuture.completedFuture(decisions);
            }
            Throwable first = failures.get(0);
            // The set must not be retried while a part of it stays taken.
            Throwable failure = failures.size() > before && first instanceof LimiterBackendException known
                    ? known.maybeDone()
                    : first;
            failures.stream().skip(1).filter(other -> other != failure).forEach(failure::addSuppressed);
            return CompletableFuture.failedFuture(failure);
        });
    }

    private KeyRequests<?> cancellation(int part) {
        KeyRequests<?> cancelled = parts.get(part);
        return cancelled.with(Request.cancel(cancelled.request().permits(), Objects.requireNonNull(taken[part])));
    }
}
