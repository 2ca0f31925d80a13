package io.limiter.engine;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the time that another engine's calls take, each by itself; see {@link Guard}. No call is made by the thread that
 * waits for it if it could block that thread for longer.
 */
public final class GuardedEngine implements Engine {

    private final Engine engine;
    private final Executor blockingCalls;
    private final Guard guard;

    /**
     * @param engine whose {@code ...Async} methods do not block
     * @param blockingCalls runs what blocks
     */
    public GuardedEngine(Engine engine, Executor blockingCalls, Guard guard) {
        this.engine = engine;
        this.blockingCalls = blockingCalls;
        this.guard = guard;
    }

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        String first = batch.get(0).key();
        try {
            return BoundedCall.start(
                            guard, first, () -> BlockingCalls.decide(blockingCalls, first, () -> answers(batch)))
                    .await();
        } catch (LimiterBackendException e) {
            return batch.stream()
                    .map(asked -> Answer.failed(e.forKey(asked.key())))
                    .toList();
        }
    }

    private List<Answer> answers(List<KeyRequests<?>> batch) {
        List<Answer> answers = engine.decide(batch);
        LimiterBackendException first = answers.get(0).failure();
        if (first != null && answers.stream().allMatch(answer -> answer.failure() != null)) {
            throw first;
        }
        return answers;
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        return start(key, limit, request).await();
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        return start(key, limit, request);
    }

    private BoundedCall<Decision> start(String key, Limit<?> limit, Request request) {
        return BoundedCall.start(guard, key, () -> engine.decideAsync(key, limit, request));
    }

    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        return startTogether(parts).await();
    }

    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        return startTogether(parts);
    }

    private BoundedCall<List<@Nullable Decision>> startTogether(List<SetPart<?>> parts) {
        return BoundedCall.start(guard, parts.get(0).key(), () -> engine.decideTogetherAsync(parts));
    }

    /** Within the budget. */
    @Override
    public void reset(String key) {
        BoundedCall.start(
                        guard,
                        key,
                        () -> BlockingCalls.decide(blockingCalls, key, () -> {
                            engine.reset(key);
                            return key;
                        }))
                .await();
    }

    @Override
    public void close() {
        engine.close();
    }
}
