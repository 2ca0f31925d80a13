package io.limiter.benchmark.inprocess;

import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.local.LocalEngine;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * What a caller pays while new keys arrive: calls of a local engine with 100,000 keys, in time of the thread's own processor, so
 * that other processes and pauses of the garbage collector do not count. Prints percentiles and the worst call of each round.
 *
 * <p>Arguments: new keys in each round (1,000,000), rounds (3).
 */
public final class NewKeys {

    private static final double[] PERCENTILES = {0.5, 0.99, 0.999, 0.9999, 0.99999};

    private NewKeys() {}

    public static void main(String[] args) {
        int keys = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        TokenBucket limit = TokenBucket.perSecond(1).withCapacity(10);
        LocalEngine engine = new LocalEngine();
        Request one = Request.take(1, 0);
        for (int round = 1; round <= rounds; round++) {
            long[] nanos = new long[keys];
            long last = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < keys; i++) {
                engine.decide("key" + round + ":" + i, limit, one);
                long now = threads.getCurrentThreadCpuTime();
                nanos[i] = now - last;
                last = now;
            }
            print(round, nanos);
        }
    }

    private static void print(int round, long[] nanos) {
        long sum = Arrays.stream(nanos).sum();
        Arrays.sort(nanos);
        StringBuilder line = new StringBuilder("round " + round + ": mean " + sum / nanos.length + " ns");
        for (double percentile : PERCENTILES) {
            line.append(", p")
                    .append(percentile * 100)
                    .append(' ')
                    .append(micros(nanos[(int) (percentile * nanos.length)]));
        }
        int over = (int) Arrays.stream(nanos).filter(each -> each > 1_000_000).count();
        System.out.println(line + ", worst " + micros(nanos[nanos.length - 1]) + ", calls above 1 ms: " + over);
    }

    private static String micros(long nanos) {
        return nanos / 1000.0 + " us";
    }
}
