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
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

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

    private static List<Answer> failed(Call call, Throwable error) {
        return AsyncFailures.cause(error) instanceof LimiterBackendException known
                ? Collections.nCopies(call.keys().size(), Answer.failed(known))
                : call.keys().stream()
                        .map(each ->
                                Answer.failed(BackendFailures.notExecuted(each.key(), "the call failed: " + error)))
                        .toList();
    }
}
