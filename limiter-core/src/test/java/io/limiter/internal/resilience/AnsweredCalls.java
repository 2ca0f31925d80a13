package io.limiter.internal.resilience;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.backend.Answer;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.testing.FutureBackend;
import io.limiter.testing.HandEngine;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Requests with a call of their own, which the test answers. */
final class AnsweredCalls {

    private static final Answer TAKEN = Answer.of(List.of(verdict(true, 1, 0, 0, 0, 0)));

    private AnsweredCalls() {}

    /** @param call is answered, with anything, or fails, as its future */
    static Ask start(Guard guard, String key, Supplier<? extends CompletableFuture<?>> call) {
        FutureBackend backend = new FutureBackend() {
            @Override
            public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
                assertThat(send.getAsBoolean()).isTrue();
                return call.get().thenApply(any -> List.of(TAKEN));
            }

            @Override
            public boolean blocks() {
                return false;
            }

            @Override
            public void delete(String deleted) {
                throw new UnsupportedOperationException();
            }
        };
        return Ask.start(
                new GroupCommit(backend, GroupCommit.Settings.DEFAULT.withOwnCalls(), Runnable::run, guard),
                key,
                HandEngine.LIMIT,
                HandEngine.request(1));
    }
}
