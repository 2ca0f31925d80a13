package io.limiter.testing;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.backend.SequentialSet;
import io.limiter.internal.engine.KeyRequests;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A backend whose answers are futures. It decides the keys of a set one after the other. */
public interface FutureBackend extends Backend {

    CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send);

    @Override
    default void start(Call call) {
        if (call.allOrNothing()) {
            SequentialSet.decide(this, call);
            return;
        }
        answers(call.keys(), call.send())
                .whenComplete(
                        (answers, error) -> call.answered().accept(error == null ? answers : failed(call, error)));
    }

    /** One part that has failed fails its set. */
    static void answerSet(Call set, @Nullable List<Answer> answers, @Nullable Throwable error) {
        List<Answer> ofParts = answers == null ? failed(set, Objects.requireNonNull(error)) : answers;
        ofParts.stream()
                .map(Answer::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresentOrElse(
                        failure -> set.failed(key -> failure),
                        () -> set.answered().accept(ofParts));
    }

    private static List<Answer> failed(Call call, Throwable error) {
        return AsyncFailures.cause(error) instanceof LimiterBackendException known
                ? Collections.nCopies(call.keys().size(), Answer.failed(known))
                : call.keys().stream()
                        .map(each ->
                                Answer.failed(BackendFailures.notExecuted(each.key(), "the call failed: " + error)))
                        .toList();
    }
}
