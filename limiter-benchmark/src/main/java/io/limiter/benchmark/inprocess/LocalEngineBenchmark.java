package io.limiter.benchmark.inprocess;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Threads;

/** A whole decision in process, as callers ask for it. */
public class LocalEngineBenchmark extends InProcessBenchmark {

    private static final int KEYS = 10_000;

    private final LimiterFactory limiters = new LocalLimiterFactory();

    /** More permits than any machine takes. */
    private final RateLimiter plenty = limiters.build("plenty", TokenBucket.of(1e9, 1));

    /** One permit a day. */
    private final RateLimiter scarce = limiters.build("scarce", TokenBucket.of(1.0 / 86_400, 86_400));

    private final Limiter window = limiters.build("window", FixedWindow.of(Integer.MAX_VALUE, Duration.ofDays(1)));
    private final Limiter closed = limiters.build("closed", FixedWindow.of(1, Duration.ofDays(1)));

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

    /** The same for four threads at once. */
    @Threads(4)
    public static class FourThreads extends LocalEngineBenchmark {}
}
