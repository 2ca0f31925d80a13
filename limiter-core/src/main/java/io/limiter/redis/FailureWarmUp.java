package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * An outage of a backend that nothing depends on. A JVM loads many classes for its first failures, and the thread that ends
 * overdue requests would do so while callers wait for it.
 */
final class FailureWarmUp {

    private static final Duration DECISION_TIMEOUT = Duration.ofMillis(5);
    /** More than open the circuit breaker. */
    private static final int REQUESTS = 20;

    /** A key as callers have it, because messages show a hash of such keys, and computing that loads the most classes. */
    private static final String KEY = KeySpace.PROBE + "{limiter:warm-up}";

    private static final TokenBucket LIMIT = TokenBucket.of(1, 1);
    private static final Request REQUEST = Request.take(1, 0);

    private FailureWarmUp() {}

    /**
     * Blocks for a decision timeout of its own.
     *
     * @param engine the engine of the limiters, for another backend and guard
     * @param local decides in this JVM; keeps nothing of it
     * @return the message for callers without a failure policy
     */
    static String run(BiFunction<Backend, Guard, ? extends Engine> engine, Engine local) {
        try (Guard guard = Guard.silent(DECISION_TIMEOUT);
                Engine silent = engine.apply(new SilentBackend(), guard)) {
            Failover failover = new Failover(silent, FailurePolicy.LOCAL, local, 1);
            Stream.generate(() -> failover.start(KEY, LIMIT, REQUEST))
                    .limit(REQUESTS)
                    .toList()
                    .forEach(Ask::await);
            failover.with(FailurePolicy.THROW).decide(KEY, LIMIT, REQUEST, false);
            return "no failure";
        } catch (LimiterBackendException e) {
            return String.valueOf(e.getMessage());
        } finally {
            local.reset(KEY);
        }
    }

    /** Does not answer before it is closed. */
    private static final class SilentBackend implements Backend {

        private final Queue<Call> unanswered = new ConcurrentLinkedQueue<>();

        @Override
        public void start(Call call) {
            if (call.send().getAsBoolean()) {
                unanswered.add(call);
            } else {
                call.failed(BackendFailures::closed);
            }
        }

        @Override
        public boolean blocks() {
            return false;
        }

        @Override
        public void delete(String key) {}

        /** Without an answer, a batch would be checked for overdue requests for ever. */
        @Override
        public void close() {
            unanswered.forEach(call -> call.failed(BackendFailures::closed));
        }
    }
}
