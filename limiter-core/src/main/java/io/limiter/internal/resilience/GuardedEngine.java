package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
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
        AtomicReference<@Nullable List<Answer>> failed = new AtomicReference<>();
        try {
            return BoundedCall.start(
                            guard,
                            first,
                            () -> BlockingCalls.decide(blockingCalls, first, () -> answers(batch, failed)),
                            answers -> decided(batch, answers))
                    .await();
        } catch (LimiterBackendException e) {
            List<Answer> each = failed.get();
            return each != null
                    ? each
                    : batch.stream()
                            .map(asked -> Answer.failed(e.forKey(asked.key())))
                            .toList();
        }
    }

    /**
     * Throws if no key was decided. A batch is tried again as a whole, so only if nothing of it was executed.
     *
     * @param failed is set if it is not to be tried again
     */
    private List<Answer> answers(List<KeyRequests<?>> batch, AtomicReference<@Nullable List<Answer>> failed) {
        List<Answer> answers = engine.decide(batch);
        List<LimiterBackendException> failures =
                answers.stream().map(Answer::failure).filter(Objects::nonNull).toList();
        if (failures.size() < answers.size()) {
            failures.forEach(guard::failed);
            return answers;
        }
        Optional<LimiterBackendException> lasting = failures.stream()
                .filter(failure -> failure.kind() != Kind.RETRYABLE)
                .max(Comparator.comparing(failure -> failure.kind() == Kind.AMBIGUOUS));
        if (lasting.isPresent()) {
            failed.set(answers);
        }
        throw lasting.orElse(failures.get(0));
    }

    private void decided(List<KeyRequests<?>> batch, List<Answer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i).failure() == null) {
                guard.decided(batch.get(i).key());
            }
        }
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
        return BoundedCall.start(
                guard, key, () -> engine.decideAsync(key, limit, request), decision -> guard.decided(key));
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
        return BoundedCall.start(
                guard,
                parts.get(0).key(),
                () -> engine.decideTogetherAsync(parts),
                decisions -> decidedTogether(decisions, parts));
    }

    private void decidedTogether(List<@Nullable Decision> decisions, List<SetPart<?>> parts) {
        for (int i = 0; i < parts.size(); i++) {
            if (decisions.get(i) != null) {
                guard.decided(parts.get(i).key());
            }
        }
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
