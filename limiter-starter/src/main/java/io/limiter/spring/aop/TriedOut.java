package io.limiter.spring.aop;

import io.limiter.LimiterBackendException;
import io.limiter.spi.AsyncFailures;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A question for a dry run: a backend that does not decide is its log's business, and not that of the call.
 *
 * @param asked what is asked
 * @param limit whose log is told
 * @param <D> what is decided, if anything
 */
record TriedOut<D>(Asked<D> asked, BoundLimit limit) implements Asked<Optional<D>> {

    @Override
    public Optional<D> decide() {
        try {
            return Optional.of(asked.decide());
        } catch (LimiterBackendException e) {
            limit.untried(e);
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<Optional<D>> decideAsync() {
        return asked.decideAsync().thenApply(Optional::of).exceptionally(error -> {
            if (AsyncFailures.cause(error) instanceof LimiterBackendException failure) {
                limit.untried(failure);
                return Optional.empty();
            }
            throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
        });
    }

    @Override
    public @Nullable Refusal refusal(Optional<D> decision) {
        return decision.isEmpty() ? null : asked.refusal(decision.get());
    }
}
