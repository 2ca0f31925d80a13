package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides a limit set one part after the other, for backends that cannot decide all parts at one moment. After the
 * first rejection, the earlier grants are cancelled and the other parts are peeked.
 *
 * <p>Until the cancellations are executed, other callers can be rejected because of them, but no limit is exceeded.
 */
final class SequentialSet {

    private final BiFunction<SetPart<?>, Request, CompletableFuture<Decision>> decide;
    private final List<SetPart<?>> parts;

    private SequentialSet(BiFunction<SetPart<?>, Request, CompletableFuture<Decision>> decide, List<SetPart<?>> parts) {
        this.decide = decide;
        this.parts = parts;
    }

    /**
     * @param send called immediately before the first part is executed
     */
    static CompletableFuture<List<@Nullable Decision>> decide(
            Backend backend, List<SetPart<?>> parts, BooleanSupplier send) {
        SendOnce sendOnce = new SendOnce(send);
        return new SequentialSet((part, request) -> decide(backend, part, request, sendOnce), parts)
                .takeFrom(0, new ArrayList<>());
    }

    private static <S> CompletableFuture<Decision> decide(
            Backend backend, SetPart<S> part, Request request, BooleanSupplier send) {
        return backend.start(List.of(new KeyRequests<>(part.key(), part.limit(), List.of(request))), send)
                .thenApply(answers -> answers.get(0).decisions().get(0));
    }

    /** Calls {@code send} for the first part only: after that, the set counts as sent. */
    private static final class SendOnce implements BooleanSupplier {

        private final BooleanSupplier send;
        private volatile boolean sent;

        SendOnce(BooleanSupplier send) {
            this.send = send;
        }

        @Override
        public boolean getAsBoolean() {
            if (!sent) {
                sent = send.getAsBoolean();
            }
            return sent;
        }
    }

    private CompletableFuture<List<@Nullable Decision>> takeFrom(int first, List<@Nullable Decision> taken) {
        if (first == parts.size()) {
            return CompletableFuture.completedFuture(taken);
        }
        return take(first)
                .handle((decision, error) -> {
                    if (error != null) {
                        return cancelAndFail(taken, error);
                    }
                    if (!decision.granted()) {
                        return cancelAndPeek(taken, decision);
                    }
                    taken.add(decision);
                    return takeFrom(first + 1, taken);
                })
                .thenCompose(next -> next);
    }

    private CompletableFuture<Decision> take(int part) {
        return decide.apply(parts.get(part), parts.get(part).request());
    }

    /** Cancels the grants of the parts before this rejection, and peeks the others. */
    private CompletableFuture<List<@Nullable Decision>> cancelAndPeek(
            List<@Nullable Decision> taken, Decision rejection) {
        int rejecting = taken.size();
        return cancelAll(taken)
                .thenCompose(failures -> failures.isEmpty()
                        ? peekOthers(rejecting, rejection)
                        : CompletableFuture.failedFuture(
                                withOthers(maybeDone(failures.get(0)), failures.subList(1, failures.size()))));
    }

    private CompletableFuture<List<@Nullable Decision>> peekOthers(int rejecting, Decision rejection) {
        CompletableFuture<List<@Nullable Decision>> decisions = CompletableFuture.completedFuture(new ArrayList<>());
        for (int i = 0; i < parts.size(); i++) {
            SetPart<?> part = parts.get(i);
            CompletableFuture<Decision> peek = i == rejecting
                    ? CompletableFuture.completedFuture(rejection)
                    : decide.apply(part, part.request().as(Request.Action.PEEK));
            decisions = decisions.thenCombine(peek, SequentialSet::add);
        }
        return decisions;
    }

    private static List<@Nullable Decision> add(List<@Nullable Decision> decisions, Decision next) {
        decisions.add(next);
        return decisions;
    }

    /** Permits whose cancellation fails count as taken; those failures are added to the error. */
    private CompletableFuture<List<@Nullable Decision>> cancelAndFail(List<@Nullable Decision> taken, Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        return cancelAll(taken)
                .thenCompose(failures -> CompletableFuture.failedFuture(
                        failures.isEmpty() ? cause : withOthers(maybeDone(cause), failures)));
    }

    /** Cancels the grants of the first parts. Returns the failures of cancellations. */
    private CompletableFuture<List<Throwable>> cancelAll(List<@Nullable Decision> taken) {
        CompletableFuture<List<Throwable>> cancellations = CompletableFuture.completedFuture(new ArrayList<>());
        for (int i = 0; i < taken.size(); i++) {
            SetPart<?> part = parts.get(i);
            Decision decided = Objects.requireNonNull(taken.get(i));
            CompletableFuture<Decision> cancellation =
                    decide.apply(part, Request.cancel(part.request().permits(), decided));
            cancellations =
                    cancellations.thenCombine(cancellation.handle((decision, error) -> error), (failures, error) -> {
                        if (error != null) {
                            failures.add(AsyncFailures.cause(error));
                        }
                        return failures;
                    });
        }
        return cancellations;
    }

    /** Marks the failure as ambiguous: the set must not be retried while a part of it stays taken. */
    private static Throwable maybeDone(Throwable error) {
        return error instanceof LimiterBackendException failure ? failure.maybeDone() : error;
    }

    private static Throwable withOthers(Throwable error, List<Throwable> others) {
        others.stream().filter(other -> other != error).forEach(error::addSuppressed);
        return error;
    }
}
