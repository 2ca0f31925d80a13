package io.limiter.test;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.time.ServerTime;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A local engine that can forget all keys. Limiters keep it, so it is the engine within that is replaced. */
final class TestEngine implements ImmediateEngine {

    private final TestClock clock;
    private volatile LocalEngine engine;

    TestEngine(TestClock clock) {
        this.clock = clock;
        this.engine = newEngine();
    }

    private LocalEngine newEngine() {
        return new LocalEngine(
                LocalEngine.DEFAULT_MAX_KEYS, new ServerTime(clock.sleeper().ticker(), clock.micros()));
    }

    void forgetAll() {
        engine = newEngine();
    }

    @Override
    public void decide(Ask pending) {
        engine.decide(pending);
    }

    @Override
    public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        return engine.tryAcquire(key, limit, permits, timeoutMicros);
    }

    @Override
    public @Nullable Outcome decide(String key, LimitStep<?> limit, Request request) {
        return engine.decide(key, limit, request);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        return engine.reset(key);
    }

    @Override
    public void close() {
        engine.close();
    }
}
