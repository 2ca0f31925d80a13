package io.limiter.benchmark.inprocess;

import io.limiter.internal.key.KeySpace;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The spelling of a key in the backend. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeySpaceBenchmark {

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
