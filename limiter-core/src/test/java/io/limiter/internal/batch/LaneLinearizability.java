package io.limiter.internal.batch;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Decisions;
import io.limiter.testing.FutureBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one lane with one call at a time: each is decided once, and one call sees what the call before has written.
 * The backend has no lock, so it relies on that.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "permits", gen = IntGen.class, conf = "1:3")
public class LaneLinearizability {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;
    private static final TokenBucket LIMIT = TokenBucket.of(1, 4);
    private static final GroupCommit.Settings ONE_CALL = new GroupCommit.Settings(1, 100, 2, 2, 32, Duration.ZERO);
    // Of all of them, because it has threads. No deadline comes.
    private static final Guard GUARD =
            Guards.with(Duration.ofDays(1), new Breakers(Duration.ofDays(1), new ListenerNotifier(List.of())));

    private final Engine engine = new GroupCommit(new Unlocked(), ONE_CALL, Runnable::run, GUARD);

    @Operation
    public Outcome take(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return Decisions.decide(engine, "k" + key, LIMIT, Request.take(permits, 0));
    }

    @Operation
    public Outcome refund(@Param(name = "key") int key) {
        return Decisions.decide(engine, "k" + key, LIMIT, Request.refund(1));
    }

    /** The same, one after the other. */
    public static final class Sequential {

        private final Map<Integer, RedisPermits> states = new HashMap<>();

        public Outcome take(int key, int permits) {
            return decide(key, Request.take(permits, 0));
        }

        public Outcome refund(int key) {
            return decide(key, Request.refund(1));
        }

        private Outcome decide(int key, Request request) {
            Step<RedisPermits> step = LIMIT.step(states.get(key), NOW_MICROS, request);
            states.put(key, step.state());
            return Outcome.of(step.verdict());
        }
    }

    private static final class Unlocked implements FutureBackend {

        private @Nullable Object first;
        private @Nullable Object second;

        @Override
        public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
            List<Answer> answers = new ArrayList<>();
            for (KeyRequests<?> each : batch) {
                answers.add(decide(each));
            }
            return CompletableFuture.completedFuture(answers);
        }

        private <S> Answer decide(KeyRequests<S> requests) {
            LimitStep<S> limit = requests.limit();
            boolean isFirst = requests.key().equals("k0");
            S state = limit.stateType().cast(isFirst ? first : second);
            List<Verdict> decisions = new ArrayList<>();
            for (Request request : requests.requests()) {
                Step<S> step = limit.step(state, NOW_MICROS, request);
                state = step.state();
                decisions.add(step.verdict());
            }
            if (isFirst) {
                first = state;
            } else {
                second = state;
            }
            return Answer.of(decisions);
        }

        @Override
        public boolean blocks() {
            return false;
        }

        @Override
        public void delete(String key) {
            throw new UnsupportedOperationException();
        }
    }
}
