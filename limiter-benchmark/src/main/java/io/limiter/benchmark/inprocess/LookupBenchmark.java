package io.limiter.benchmark.inprocess;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.internal.key.KeySpace;
import io.limiter.local.LocalLimiterFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;

/** What is looked up before a decision: the backend's key of a caller's, and the factory's limiter of a name. */
public class LookupBenchmark extends InProcessBenchmark {

    private final KeySpace keys = new KeySpace("rateLimit:", "com.acme.Sms.send(java.lang.String)");
    private final LimiterFactory limiters = new LocalLimiterFactory();
    private final String[] names =
            IntStream.range(0, 100).mapToObj(i -> "com.acme.Sms.send" + i).toArray(String[]::new);

    private String ascii = "198.51.100.7";
    private String encoded = "jürgen müller";
    private String hashed = "k".repeat(2 * KeySpace.MAX_KEY_LENGTH);

    @Benchmark
    public String shortKey() {
        return keys.of(ascii);
    }

    @Benchmark
    public String encodedKey() {
        return keys.of(encoded);
    }

    @Benchmark
    public String hashedKey() {
        return keys.of(hashed);
    }

    @Benchmark
    public RateLimiter limiter() {
        return limiters.build(names[0], 10, 1, 60);
    }

    @Benchmark
    public RateLimiter oneOfManyLimiters() {
        return limiters.build(names[ThreadLocalRandom.current().nextInt(names.length)], 10, 1, 60);
    }
}
