package io.limiter.benchmark.inprocess;

import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.local.LocalEngine;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.HdrHistogram.Histogram;

/**
 * What a caller pays while new keys arrive: calls of a local engine with 100,000 keys, in time of the thread's own processor, so
 * that other processes and pauses of the garbage collector do not count. Prints percentiles and the worst call of each round.
 *
 * <p>Arguments: new keys in each round (1,000,000), rounds (3).
 */
public final class NewKeys {

    private static final double[] PERCENTILES = {50, 99, 99.9, 99.99, 99.999};

    private NewKeys() {}

    public static void main(String[] args) {
        int keys = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        TokenBucket limit = TokenBucket.perSecond(1).withCapacity(10);
        LocalEngine engine = new LocalEngine();
        Request one = Request.take(1, 0);
        for (int round = 1; round <= rounds; round++) {
            Histogram nanos = new Histogram(3);
            long last = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < keys; i++) {
                engine.decide("key" + round + ":" + i, limit, one);
                long now = threads.getCurrentThreadCpuTime();
                nanos.recordValue(now - last);
                last = now;
            }
            print(round, nanos);
        }
    }

    private static void print(int round, Histogram nanos) {
        StringBuilder line = new StringBuilder("round " + round + ": mean " + Math.round(nanos.getMean()) + " ns");
        for (double percentile : PERCENTILES) {
            line.append(", p" + percentile + " " + nanos.getValueAtPercentile(percentile) / 1000.0 + " us");
        }
        long over = nanos.getCountBetweenValues(1_000_000, Long.MAX_VALUE);
        System.out.println(line + ", worst " + nanos.getMaxValue() / 1000.0 + " us, calls above 1 ms: " + over);
    }
}
