package io.limiter.testing;

import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decisions of engines and backends, awaited. */
public final class Decisions {

    private Decisions() {}

    public static Outcome decide(Engine engine, String key, LimitStep<?> limit, Request request) {
        return Ask.start(engine, key, limit, request).await();
    }

    public static List<@Nullable Outcome> decideSet(Engine engine, List<KeyRequests<?>> parts) {
        return startSet(engine, parts).await().parts();
    }

    public static Ask startSet(Engine engine, List<KeyRequests<?>> parts) {
        Ask pending = new Ask(parts, null);
        engine.decide(pending);
        return pending;
    }

    public static Verdict decideIn(Backend backend, String key, LimitStep<?> limit, Request request) {
        return decideIn(backend, List.of(new KeyRequests<>(key, limit, List.of(request))))
                .get(0)
                .verdicts()
                .get(0);
    }

    public static List<Answer> decideIn(Backend backend, List<KeyRequests<?>> batch) {
        return backend.start(batch, () -> true).join();
    }

    public static List<Verdict> decideSetIn(Backend backend, List<KeyRequests<?>> parts) {
        return AsyncFailures.join(startSetIn(backend, parts));
    }

    public static CompletableFuture<List<Verdict>> startSetIn(Backend backend, List<KeyRequests<?>> parts) {
        return startSetsIn(backend, List.of(parts)).get(0);
    }

    /** Several sets together, in their order. */
    public static List<CompletableFuture<List<Verdict>>> startSetsIn(Backend backend, List<List<KeyRequests<?>>> sets) {
        List<Call> calls = new ArrayList<>();
        List<CompletableFuture<List<Verdict>>> decided = new ArrayList<>();
        for (List<KeyRequests<?>> parts : sets) {
            CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
            calls.add(new Call(parts, true, () -> true, answers::complete));
            decided.add(answers.thenApply(all -> Answer.ofSet(all).verdicts()));
        }
        backend.startSets(calls);
        return decided;
    }
}
