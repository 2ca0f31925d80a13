package io.limiter.benchmark.inprocess;

import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** A whole decision that needs no call to Redis, as callers ask for it: counted, its key taken note of. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KnownDecisionBenchmark {

    private static final String KEY = "198.51.100.7";

    private final SteppingLimiters limiters = new SteppingLimiters();
    private final Limiter closed = limiters.count("closed", 1, Duration.ofDays(1));
    private final RateLimiter leased =
            limiters.withPrefetch(1_000_000, Duration.ofSeconds(1)).build("leased", TokenBucket.of(1e9, 1));

    @Benchmark
    public boolean rejected() {
        return closed.tryAcquire(KEY);
    }

    @Benchmark
    @Threads(2)
    public boolean rejectedTwoThreads() {
        return closed.tryAcquire(KEY);
    }

    @Benchmark
    public Decision rejectedDecision() {
        return closed.decide(KEY, 1);
    }

    @Benchmark
    public boolean leased() {
        return leased.tryAcquire(KEY);
    }

    @Benchmark
    public Decision leasedDecision() {
        return leased.decide(KEY, 1);
    }
}
