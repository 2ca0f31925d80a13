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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides a limit set in several calls, for backends that cannot decide all parts at one moment.
 *
 * <p>The parts that one call can decide are a group, which is taken all or nothing; in a Cluster those of a slot. The groups are
 * taken one after the other up to the first that rejects. Then exactly what the groups before it took is cancelled, by the tickets
 * of their grants, and in the same call those after it are peeked, because the set is rejected by the limit with the longest
 * retry-after.
 *
 * <p>There is no peek before: it would double the calls of each granted set, so that a rejected one takes nothing for the moment
 * until it is cancelled, and most rejections are known to the rejection cache, which calls nobody. Groups whose cancellation
 * restores everything come before those whose cancellation may not; so if all others are windows, a single bucket never has to be
 * cancelled. Others are taken in the caller's order.
 */
public final class SequentialSet {

    private final Backend backend;
    private final Call call;
    private final List<List<Integer>> groups;
    private final @Nullable Verdict[] verdicts;

    private SequentialSet(Backend backend, Call call, List<List<Integer>> groups) {
        this.backend = backend;
        this.call = call;
        this.groups = groups.stream()
                .sorted(Comparator.comparing(group -> group.stream()
                        .mapToInt(part -> mayLose(call.keys().get(part).limit()))
                        .max()
                        .orElse(0)))
                .toList();
        this.verdicts = new Verdict[call.keys().size()];
    }

    /**
     * With a call for each part.
     *
     * @param call for all or nothing
     */
    public static void decide(Backend backend, Call call) {
        start(backend, call, allOf(call).map(List::of).toList());
    }

    /**
     * With a call for each slot.
     *
     * @param call for all or nothing, whose keys are in several slots
     * @param slotOf the slot of a key; the backend decides several of one slot at one moment
     */
    public static void decideBySlot(Backend backend, Call call, ToIntFunction<String> slotOf) {
        Map<Integer, List<Integer>> bySlot = allOf(call)
                .collect(Collectors.groupingBy(
                        part -> slotOf.applyAsInt(call.keys().get(part).key()),
                        LinkedHashMap::new,
                        Collectors.toList()));
        start(backend, call, List.copyOf(bySlot.values()));
    }

    private static Stream<Integer> allOf(Call call) {
        return IntStream.range(0, call.keys().size()).boxed();
    }

    private static void start(Backend backend, Call call, List<List<Integer>> groups) {
        new SequentialSet(backend, call, groups).takeFrom(0).whenComplete((verdicts, error) -> {
            if (error == null) {
                call.answered()
                        .accept(verdicts.stream()
                                .map(verdict -> Answer.of(List.of(verdict)))
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
        if (place == groups.size()) {
            return CompletableFuture.completedFuture(
                    Arrays.stream(verdicts).map(Objects::requireNonNull).toList());
        }
        List<Integer> group = groups.get(place);
        CompletableFuture<List<Answer>> taken = new CompletableFuture<>();
        backend.start(new Call(
                group.stream().<KeyRequests<?>>map(call.keys()::get).toList(),
                group.size() > 1,
                place == 0 ? call.send() : () -> true,
                taken::complete));
        return taken.thenApply(answers -> recorded(group, answers))
                .handle((granted, error) -> {
                    if (error != null) {
                        return end(place, AsyncFailures.cause(error));
                    }
                    return granted ? takeFrom(place + 1) : end(place, null);
                })
                .thenCompose(next -> next);
    }

    /** Keeps the verdicts of these parts. Returns whether all are granted. */
    private boolean recorded(List<Integer> parts, List<Answer> answers) {
        boolean granted = true;
        for (int i = 0; i < parts.size(); i++) {
            Verdict verdict = answers.get(i).verdicts().get(0);
            verdicts[parts.get(i)] = verdict;
            granted &= verdict.isGranted();
        }
        return granted;
    }

    /**
     * Cancels the grants of the groups before the one that ends the set; permits whose cancellation fails count as taken.
     *
     * @param failure why the set is not decided; {@code null} if that group rejected
     * @return the verdicts, of which those of cancelled and later parts say what they would grant now, unless there is a failure
     */
    private CompletableFuture<List<Verdict>> end(int place, @Nullable Throwable failure) {
        List<Integer> cancelled = partsOf(groups.subList(0, place));
        List<Integer> others = new ArrayList<>(cancelled);
        if (failure == null) {
            others.addAll(partsOf(groups.subList(place + 1, groups.size())));
        }
        List<KeyRequests<?>> requests = new ArrayList<>(others.size());
        for (int i = 0; i < others.size(); i++) {
            int part = others.get(i);
            requests.add(
                    i < cancelled.size()
                            ? cancellation(part)
                            : call.keys().get(part).peek());
        }
        CompletableFuture<List<Answer>> ended =
                requests.isEmpty() ? CompletableFuture.completedFuture(List.of()) : backend.start(requests, () -> true);
        return ended.thenCompose(answers -> {
            List<Throwable> failures = new ArrayList<>();
            if (failure != null) {
                failures.add(failure);
            }
            answers.stream().map(Answer::failure).filter(Objects::nonNull).forEach(failures::add);
            if (failures.isEmpty()) {
                recorded(others, answers);
                return takeFrom(groups.size());
            }
            Throwable first = failures.get(0);
            boolean staysTaken = answers.stream().limit(cancelled.size()).anyMatch(answer -> answer.failure() != null);
            // The set must not be retried while a part of it stays taken.
            Throwable reported =
                    staysTaken && first instanceof LimiterBackendException known ? known.maybeDone() : first;
            failures.stream().skip(1).filter(other -> other != reported).forEach(reported::addSuppressed);
            return CompletableFuture.failedFuture(reported);
        });
    }

    private static List<Integer> partsOf(List<List<Integer>> some) {
        return some.stream().flatMap(List::stream).toList();
    }

    private KeyRequests<?> cancellation(int part) {
        KeyRequests<?> taken = call.keys().get(part);
        Verdict granted = Objects.requireNonNull(verdicts[part]);
        Request request = taken.request();
        // It also says what remains to a caller who leaves some.
        Request cancellation = Request.cancel(granted.takenBy(request), granted).withLeave(request.leave());
        return taken.limit() instanceof FixedWindow window
                ? KeyRequests.of(taken.key(), window.withWarningForgotten(granted), cancellation)
                : taken.with(cancellation);
    }
}
