package io.limiter.testing;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decisions of engines and backends, awaited. */
public final class Decisions {

    private Decisions() {}

    public static Decision decide(Engine engine, String key, Limit<?> limit, Request request) {
        return PendingRequest.start(engine, key, limit, request).await();
    }

    public static List<@Nullable Decision> decideSet(Engine engine, List<KeyRequests<?>> parts) {
        return startSet(engine, parts).await();
    }

    public static PendingSet startSet(Engine engine, List<KeyRequests<?>> parts) {
        PendingSet pending = new PendingSet(parts, null);
        engine.decide(pending);
        return pending;
    }

    public static Decision decideIn(Backend backend, String key, Limit<?> limit, Request request) {
        return decideIn(backend, List.of(new KeyRequests<>(key, limit, List.of(request))))
                .get(0)
                .decisions()
                .get(0);
    }

    public static List<Answer> decideIn(Backend backend, List<KeyRequests<?>> batch) {
        return backend.start(batch, () -> true).join();
    }

    public static List<Decision> decideSetIn(Backend backend, List<KeyRequests<?>> parts) {
        return AsyncFailures.join(startSetIn(backend, parts));
    }

    public static CompletableFuture<List<Decision>> startSetIn(Backend backend, List<KeyRequests<?>> parts) {
        return startSetsIn(backend, List.of(parts)).get(0);
    }

    /** Several sets together, in their order. */
    public static List<CompletableFuture<List<Decision>>> startSetsIn(
            Backend backend, List<List<KeyRequests<?>>> sets) {
        List<Call> calls = new ArrayList<>();
        List<CompletableFuture<List<Decision>>> decided = new ArrayList<>();
        for (List<KeyRequests<?>> parts : sets) {
            CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
            calls.add(new Call(parts, true, () -> true, answers::complete));
            decided.add(answers.thenApply(all -> Answer.ofSet(all).decisions()));
        }
        backend.startSets(calls);
        return decided;
    }
}
