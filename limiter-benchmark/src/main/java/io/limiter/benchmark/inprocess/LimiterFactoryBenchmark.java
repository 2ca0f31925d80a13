package io.limiter.benchmark.inprocess;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.util.concurrent.ThreadLocalRandom;
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

/** Asking the factory for a limiter that it has, as callers do who do not keep it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LimiterFactoryBenchmark {

    private static final int NAMES = 100;

    private final LimiterFactory limiters = new LocalLimiterFactory();
    private final TokenBucket limit = TokenBucket.of(10, 1);
    private final String[] names = new String[NAMES];

    public LimiterFactoryBenchmark() {
        for (int i = 0; i < NAMES; i++) {
            names[i] = "com.acme.Sms.send" + i;
        }
    }

    @Benchmark
    public RateLimiter byNumbers() {
        return limiters.build(names[0], 10, 1, 60);
    }

    @Benchmark
    public RateLimiter byLimit() {
        return limiters.build(names[0], limit);
    }

    @Benchmark
    public RateLimiter oneOfMany() {
        return limiters.build(names[ThreadLocalRandom.current().nextInt(NAMES)], limit);
    }

    @Benchmark
    @Threads(4)
    public RateLimiter byLimitToFourThreads() {
        return limiters.build(names[0], limit);
    }

    @Benchmark
    @Threads(4)
    public RateLimiter oneOfManyToFourThreads() {
        return limiters.build(names[ThreadLocalRandom.current().nextInt(NAMES)], limit);
    }
}
