package io.limiter.internal.local;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ServerTime;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.testing.Decisions;
import io.limiter.testing.NoTimers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** Threads that share the local engine get decisions that they could have got one after the other, sets included. */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "permits", gen = IntGen.class, conf = "1:3")
public class LocalEngineLinearizability {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;
    private static final TokenBucket LIMIT = TokenBucket.of(1, 4);

    private final LocalEngine engine = new LocalEngine(100, new ServerTime(new NoTimers(), NOW_MICROS));

    @Operation
    public Outcome take(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return Decisions.decide(engine, "k" + key, LIMIT, Request.take(permits, 0));
    }

    @Operation
    public Outcome peek(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return Decisions.decide(engine, "k" + key, LIMIT, Request.peek(permits, 0));
    }

    @Operation
    public List<Outcome> takeOfBoth(@Param(name = "permits") int first, @Param(name = "permits") int second) {
        return Decisions.decideSet(
                engine,
                List.of(
                        KeyRequests.of("k0", LIMIT, Request.take(first, 0)),
                        KeyRequests.of("k1", LIMIT, Request.take(second, 0))));
    }

    @Operation
    public void reset(@Param(name = "key") int key) {
        engine.reset("k" + key);
    }

    /** The same, one after the other. */
    public static final class Sequential {

        private final Map<Integer, RedisPermits> states = new HashMap<>();

        public Outcome take(int key, int permits) {
            Step<RedisPermits> step = step(key, Request.take(permits, 0));
            states.put(key, step.state());
            return Outcome.of(step.verdict());
        }

        public Outcome peek(int key, int permits) {
            return Outcome.of(step(key, Request.peek(permits, 0)).verdict());
        }

        public List<Outcome> takeOfBoth(int first, int second) {
            List<Step<RedisPermits>> steps = List.of(step(0, Request.take(first, 0)), step(1, Request.take(second, 0)));
            boolean granted = steps.stream().allMatch(step -> step.verdict().isGranted());
            if (granted) {
                return List.of(take(0, first), take(1, second));
            }
            return List.of(
                    steps.get(0).verdict().isGranted() ? peek(0, first) : take(0, first),
                    steps.get(1).verdict().isGranted() ? peek(1, second) : take(1, second));
        }

        public void reset(int key) {
            states.remove(key);
        }

        private Step<RedisPermits> step(int key, Request request) {
            return LIMIT.step(states.get(key), NOW_MICROS, request);
        }
    }
}
