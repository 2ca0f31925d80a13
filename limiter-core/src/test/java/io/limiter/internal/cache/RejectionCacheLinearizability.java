package io.limiter.internal.cache;

import io.limiter.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Request;
import io.limiter.testing.Decisions;
import io.limiter.testing.NoTimers;
import io.limiter.testing.SteppingEngine;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * Threads that share a rejection cache get decisions that they could have got one after the other, and without it, while
 * time stands still. Two keys compete for its one slot, and one of them is used under two limits.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "rate", gen = IntGen.class, conf = "1:2")
@Param(name = "permits", gen = IntGen.class, conf = "1:3")
@Param(name = "timeout", gen = IntGen.class, conf = "0:1")
public class RejectionCacheLinearizability {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;

    private static final NoTimers TIME = new NoTimers();

    private final KnownRejections rejections = new KnownRejections(1, TIME, TIME);
    private final RejectionCache engine =
            new RejectionCache(rejections, new SteppingEngine(() -> NOW_MICROS, rejections));

    @Operation
    public Outcome decide(
            @Param(name = "key") int key,
            @Param(name = "rate") int rate,
            @Param(name = "permits") int permits,
            @Param(name = "timeout") int timeout) {
        return Decisions.decide(engine, "k" + key, limit(rate), Request.take(permits, timeout * 1_000_000L))
                .withSource(Decision.Source.BACKEND);
    }

    @Operation
    public boolean rejects(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return engine.tryAcquire("k" + key, limit(1), permits, 0) == ImmediateEngine.Known.STILL_REJECTED
                || !Decisions.decide(engine, "k" + key, limit(1), Request.take(permits, 0))
                        .isGranted();
    }

    @Operation
    public void refund(@Param(name = "key") int key) {
        Decisions.decide(engine, "k" + key, limit(1), Request.refund(1));
    }

    @Operation
    public Outcome peek(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return Decisions.decide(engine, "k" + key, limit(1), Request.peek(permits, 0));
    }

    private static TokenBucket limit(int rate) {
        return TokenBucket.of(rate, 4);
    }

    /** The same without a cache, one after the other. */
    public static final class Sequential {

        private final SteppingEngine engine = new SteppingEngine(() -> NOW_MICROS, new KnownRejections(0, TIME));

        public Outcome decide(int key, int rate, int permits, int timeout) {
            return Decisions.decide(engine, "k" + key, limit(rate), Request.take(permits, timeout * 1_000_000L));
        }

        public boolean rejects(int key, int permits) {
            return !Decisions.decide(engine, "k" + key, limit(1), Request.take(permits, 0))
                    .isGranted();
        }

        public void refund(int key) {
            Decisions.decide(engine, "k" + key, limit(1), Request.refund(1));
        }

        public Outcome peek(int key, int permits) {
            return Decisions.decide(engine, "k" + key, limit(1), Request.peek(permits, 0));
        }
    }
}
