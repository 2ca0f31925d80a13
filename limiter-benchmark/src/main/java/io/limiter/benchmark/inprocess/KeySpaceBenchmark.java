package io.limiter.benchmark.inprocess;

import io.limiter.internal.key.KeySpace;
import org.openjdk.jmh.annotations.Benchmark;

/** The spelling of a key in the backend. */
public class KeySpaceBenchmark extends InProcessBenchmark {

    private final KeySpace keys = new KeySpace("rateLimit:", "com.acme.Sms.send(java.lang.String)");

    private String ascii = "198.51.100.7";
    private String encoded = "jürgen müller";
    private String hashed = "k".repeat(2 * KeySpace.MAX_KEY_LENGTH);

    @Benchmark
    public String own() {
        return keys.own();
    }

    @Benchmark
    public String shortAscii() {
        return keys.of(ascii);
    }

    @Benchmark
    public String thatNeedsEncoding() {
        return keys.of(encoded);
    }

    @Benchmark
    public String longThatIsHashed() {
        return keys.of(hashed);
    }
}
