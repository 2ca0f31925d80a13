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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** A whole decision in process, as callers request it; with several threads by {@code -t}. */
public class LocalEngineBenchmark extends InProcessBenchmark {

    private final LimiterFactory limiters = new LocalLimiterFactory();

    /** More permits than any machine takes. */
    private final RateLimiter plenty = limiters.build("plenty", TokenBucket.of(1e9, 1));

    /** One permit a day. */
    private final RateLimiter scarce = limiters.build("scarce", TokenBucket.of(1.0 / 86_400, 86_400));

    private final RateLimiter slow =
            limiters.build("slow", TokenBucket.perSecond(1).withCapacity(10));
    private final Limiter window = limiters.build("window", FixedWindow.of(Integer.MAX_VALUE, Duration.ofDays(1)));

    private final com.google.common.util.concurrent.RateLimiter guava =
            com.google.common.util.concurrent.RateLimiter.create(1e9);

    private final String[] keys =
            IntStream.range(0, 10_000).mapToObj(i -> "198.51." + i).toArray(String[]::new);

    public LocalEngineBenchmark() {
        scarce.decide(1);
    }

    @Benchmark
    public Decision granted() {
        return plenty.decide(1);
    }

    @Benchmark
    public Decision grantedByWindow() {
        return window.decide(1);
    }

    @Benchmark
    public Decision rejected() {
        return scarce.decide(1);
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
        return plenty.tryAcquire(keys[ThreadLocalRandom.current().nextInt(keys.length)]);
    }

    /** Each with a key that is not there yet, so that another one is evicted. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public boolean tryGrantedByNewKey() {
        return slow.tryAcquire(Long.toString(ThreadLocalRandom.current().nextLong()));
    }

    /** Guava's, for comparison with {@link #tryGranted}. */
    @Benchmark
    public boolean guavaTryGranted() {
        return guava.tryAcquire();
    }
}
