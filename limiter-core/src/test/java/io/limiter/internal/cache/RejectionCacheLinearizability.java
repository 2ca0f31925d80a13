package io.limiter.internal.cache;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import com.google.common.base.Ticker;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spi.Engine;
import io.limiter.testing.Decisions;
import io.limiter.testing.SteppingEngine;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Threads that share a rejection cache get decisions that are possible one after the other and without the cache, while time
 * stands still. Two keys fight for its one place, and one of them is used under two limits. Runs by itself in a JVM,
 * because the checker rewrites classes that are loaded.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "rate", gen = IntGen.class, conf = "1:2")
@Param(name = "permits", gen = IntGen.class, conf = "1:3")
@Param(name = "timeout", gen = IntGen.class, conf = "0:1")
public class RejectionCacheLinearizability {

    private static final long NOW_MICROS = 1_763_650_000_123_456L;

    private final KnownRejections denials = new KnownRejections(1, new StoppedTicker());
    private final RejectionCache engine = new RejectionCache(denials, new SteppingEngine(() -> NOW_MICROS, denials));

    @Operation
    public Decision decide(
            @Param(name = "key") int key,
            @Param(name = "rate") int rate,
            @Param(name = "permits") int permits,
            @Param(name = "timeout") int timeout) {
        return Decisions.decide(engine, "k" + key, limit(rate), new Request(permits, timeout * 1_000_000L, false))
                .from(Decision.Source.BACKEND);
    }

    @Operation
    public boolean rejects(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return engine.tryWithoutBackend("k" + key, limit(1), permits, 0) == Engine.Known.REJECTED
                || !Decisions.decide(engine, "k" + key, limit(1), new Request(permits, 0, false))
                        .granted();
    }

    @Operation
    public Decision peek(@Param(name = "key") int key, @Param(name = "permits") int permits) {
        return Decisions.decide(engine, "k" + key, limit(1), new Request(permits, 0, true));
    }

    /** Ends with an exception that shows the order of events if there is one that could not be. */
    public static void main(String[] args) {
        inAllOrdersThatAModelCheckerFinds();
        inTheOrdersThatComeUpUnderLoad();
    }

    private static void inAllOrdersThatAModelCheckerFinds() {
        new ModelCheckingOptions()
                .sequentialSpecification(WithoutCache.class)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .iterations(4)
                .invocationsPerIteration(30)
                .addGuarantee(forClasses(RejectionCacheLinearizability::cannotBeInterleaved)
                        .allMethods()
                        .ignore())
                .minimizeFailedScenario(false)
                .check(RejectionCacheLinearizability.class);
    }

    private static void inTheOrdersThatComeUpUnderLoad() {
        new StressOptions()
                .sequentialSpecification(WithoutCache.class)
                .threads(3)
                .actorsPerThread(4)
                .actorsBefore(2)
                .actorsAfter(1)
                .iterations(6)
                .invocationsPerIteration(100)
                .minimizeFailedScenario(false)
                .check(RejectionCacheLinearizability.class);
    }

    /** Arithmetic on values: nothing to see for other threads, and most of the work. */
    private static boolean cannotBeInterleaved(String className) {
        return className.startsWith(TokenBucket.class.getPackageName()) || className.startsWith("java.util.Imm");
    }

    private static TokenBucket limit(int rate) {
        return TokenBucket.of(rate, 4);
    }

    /** The same, one after the other. */
    public static final class WithoutCache {

        private final SteppingEngine engine =
                new SteppingEngine(() -> NOW_MICROS, new KnownRejections(0, new StoppedTicker()));

        public Decision decide(int key, int rate, int permits, int timeout) {
            return Decisions.decide(engine, "k" + key, limit(rate), new Request(permits, timeout * 1_000_000L, false));
        }

        public boolean rejects(int key, int permits) {
            return !Decisions.decide(engine, "k" + key, limit(1), new Request(permits, 0, false))
                    .granted();
        }

        public Decision peek(int key, int permits) {
            return Decisions.decide(engine, "k" + key, limit(1), new Request(permits, 0, true));
        }
    }

    private static final class StoppedTicker extends Ticker {

        @Override
        public long read() {
            return 0;
        }
    }
}
