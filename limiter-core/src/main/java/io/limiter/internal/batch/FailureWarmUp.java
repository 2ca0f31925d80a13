package io.limiter.internal.batch;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.Engine;
import io.limiter.spi.PendingRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Has a few requests time out, so that the first outage of a JVM does not have to load the classes for it. */
public final class FailureWarmUp {

    // One less than what opens a circuit breaker.
    private static final int REQUESTS = 4;
    private static final Duration DECISION_TIMEOUT = Duration.ofMillis(5);
    private static final Limit<?> LIMIT = TokenBucket.of(1, 1);
    private static final Request PEEK = new Request(1, 0, true);

    private FailureWarmUp() {}

    /**
     * @param key a key that is never written
     * @param local decides for the failure policy
     */
    public static void run(String key, Engine local) {
        try (Guard guard =
                new Guard(DECISION_TIMEOUT, new Breakers(Duration.ofHours(1), ListenerNotifier.NONE)).withoutLog()) {
            Engine silent = new GroupCommit(new SilentBackend(), GroupCommit.Settings.DEFAULT, Runnable::run, guard);
            Failover failover = new Failover(silent, FailurePolicy.LOCAL, local, 1);
            List<PendingRequest> pending = new ArrayList<>();
            for (int i = 1; i < REQUESTS; i++) {
                pending.add(failover.start(key, LIMIT, PEEK));
            }
            failover.decide(key, LIMIT, PEEK);
            pending.forEach(CompletableFuture::join);
        }
    }

    private static final class SilentBackend implements Backend {

        @Override
        public CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch, BooleanSupplier send) {
            return new CompletableFuture<>();
        }

        @Override
        public boolean blocks() {
            return false;
        }

        @Override
        public void reset(String key) {
            throw new UnsupportedOperationException();
        }
    }
}
