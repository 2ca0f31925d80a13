package io.limiter.benchmark.inprocess;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Threads;

/** Asking the factory for a limiter that it has, as callers do who do not keep it. */
public class LimiterFactoryBenchmark extends InProcessBenchmark {

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

    /** The same for four threads at once. */
    @Threads(4)
    public static class FourThreads extends LimiterFactoryBenchmark {}
}
