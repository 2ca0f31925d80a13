package io.limiter.local;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Grants everything, and keeps nothing. */
final class UnlimitedEngine implements Engine {

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        return batch.stream()
                .map(asked -> Answer.of(asked.requests().stream()
                        .map(request -> granted(asked.limit()))
                        .toList()))
                .toList();
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        return granted(limit);
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        return CompletableFuture.completedFuture(granted(limit));
    }

    @Override
    public void reset(String key) {
        // There is nothing to forget.
    }

    private static Decision granted(Limit<?> limit) {
        return new Decision(true, limit.capacity(), limit.capacity(), 0, 0, 0, Decision.Source.POLICY);
    }
}
