package io.limiter.benchmark.inprocess;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** A rejection that is known: whether it still holds, and what it says now. */
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class RejectionCacheBenchmark extends InProcessBenchmark {

    private static final String KEY = "rateLimit:{api:198.51.100.7}";
    private static final TokenBucket ONE_A_DAY = TokenBucket.of(1.0 / 86_400, 86_400);
    private static final Request ONE = Request.take(1, 0);

    private final KnownRejections denials = new KnownRejections(KnownRejections.DEFAULT_SIZE);

    /** Again before each iteration: a rejection counts for a second. */
    @Setup(Level.Iteration)
    public void reject() {
        var taken = ONE_A_DAY.step(null, 1_763_650_000_000_000L, ONE);
        var rejected = ONE_A_DAY.step(taken.state(), 1_763_650_000_000_000L, ONE);
        denials.decided(
                new KeyRequests<>(KEY, ONE_A_DAY, List.of(ONE)),
                List.of(rejected.decision()),
                rejected.state(),
                1_763_650_000_000_000L,
                denials.readNanos());
    }

    @Benchmark
    public boolean rejects() {
        return denials.rejects(KEY, ONE_A_DAY, 1, 0);
    }

    @Benchmark
    @Threads(4)
    public boolean rejectsFourThreads() {
        return denials.rejects(KEY, ONE_A_DAY, 1, 0);
    }

    @Benchmark
    public @Nullable Decision decision() {
        return denials.find(KEY, ONE_A_DAY, ONE);
    }

    @Benchmark
    public boolean unknownKey() {
        return denials.rejects("rateLimit:{api:198.51.100.8}", ONE_A_DAY, 1, 0);
    }
}
