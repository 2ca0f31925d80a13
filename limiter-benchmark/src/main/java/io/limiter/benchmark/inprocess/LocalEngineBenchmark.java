package io.limiter.benchmark.inprocess;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
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

/** A whole decision in process, as callers ask for it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LocalEngineBenchmark {

    private static final int KEYS = 10_000;

    private final LimiterFactory limiters = new LocalLimiterFactory();

    /** More permits than any machine takes. */
    private final RateLimiter plenty = limiters.build("plenty", TokenBucket.of(1e9, 1));

    /** One permit a day. */
    private final RateLimiter scarce = limiters.build("scarce", TokenBucket.of(1.0 / 86_400, 86_400));

    private final Limiter window = limiters.count("window", Integer.MAX_VALUE, Duration.ofDays(1));
    private final Limiter closed = limiters.count("closed", 1, Duration.ofDays(1));

    private final com.google.common.util.concurrent.RateLimiter guava =
            com.google.common.util.concurrent.RateLimiter.create(1e9);

    private final String[] keys = new String[KEYS];

    public LocalEngineBenchmark() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "198.51." + i;
        }
        scarce.decide(1);
        closed.decide(1);
    }

    @Benchmark
    public Decision granted() {
        return plenty.decide(1);
    }

    @Benchmark
    public Decision rejected() {
        return scarce.decide(1);
    }

    @Benchmark
    public Decision grantedByKey() {
        return plenty.decide(keys[ThreadLocalRandom.current().nextInt(KEYS)], 1);
    }

    @Benchmark
    public boolean tryGranted() {
        return plenty.tryAcquire();
    }

    @Benchmark
    public boolean tryRejected() {
        return scarce.tryAcquire();
    }

    @Benchmark
    public boolean tryGrantedByKey() {
        return plenty.tryAcquire(keys[ThreadLocalRandom.current().nextInt(KEYS)]);
    }

    /** Guava's, for comparison with {@link #tryGranted}. */
    @Benchmark
    public boolean guavaGranted() {
        return guava.tryAcquire();
    }

    @Benchmark
    public Decision countGranted() {
        return window.decide(1);
    }

    @Benchmark
    public Decision countRejected() {
        return closed.decide(1);
    }

    @Benchmark
    @Threads(4)
    public Decision grantedToFourThreads() {
        return plenty.decide(1);
    }

    @Benchmark
    @Threads(4)
    public Decision rejectedToFourThreads() {
        return scarce.decide(1);
    }

    @Benchmark
    @Threads(4)
    public Decision grantedByKeyToFourThreads() {
        return plenty.decide(keys[ThreadLocalRandom.current().nextInt(KEYS)], 1);
    }

    @Benchmark
    @Threads(4)
    public boolean tryGrantedToFourThreads() {
        return plenty.tryAcquire();
    }

    @Benchmark
    @Threads(4)
    public boolean tryGrantedByKeyToFourThreads() {
        return plenty.tryAcquire(keys[ThreadLocalRandom.current().nextInt(KEYS)]);
    }

    @Benchmark
    @Threads(4)
    public boolean guavaGrantedToFourThreads() {
        return guava.tryAcquire();
    }
}
