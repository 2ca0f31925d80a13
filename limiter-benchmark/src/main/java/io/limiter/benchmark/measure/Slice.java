package io.limiter.benchmark.measure;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * The figures of one subject in one round of one cell.
 *
 * @param seconds how long was measured
 * @param granted decisions in that time that were grants
 * @param rejected decisions that were rejections
 * @param failed requests that ended in an exception and are no decisions
 * @param latency from request to decision
 * @param commandsSent to Redis by the clients
 * @param redis the script calls and processor time in Redis
 * @param clientCpuNanos processor time of this JVM
 * @param allocatedBytes allocated in this JVM
 */
public record Slice(
        double seconds,
        long granted,
        long rejected,
        long failed,
        Latency latency,
        long commandsSent,
        RedisStats redis,
        long clientCpuNanos,
        long allocatedBytes) {

    public long decisions() {
        return granted + rejected;
    }

    public double decisionsPerSecond() {
        return decisions() / seconds;
    }

    /** A total over all decisions, for one; not a number if there were none. */
    public double perDecision(double total) {
        return decisions() == 0 ? Double.NaN : total / decisions();
    }

    /** Microseconds of one script in Redis; not a number if none ran. */
    public double microsPerScript() {
        return redis.scriptCalls() == 0 ? Double.NaN : (double) redis.scriptMicros() / redis.scriptCalls();
    }

    /** Percentiles of latencies and the worst one, in microseconds; not numbers if there were none. */
    public record Latency(double p50, double p99, double p999, double worst) {

        /** From nanoseconds. */
        static Latency of(Histogram nanos) {
            return new Latency(micros(nanos, 50), micros(nanos, 99), micros(nanos, 99.9), micros(nanos, 100));
        }

        private static double micros(Histogram nanos, double percentile) {
            return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile) / 1e3;
        }
    }

    /**
     * What Redis has counted, or the difference of two such counts.
     *
     * @param scriptCalls how many times scripts ran
     * @param scriptMicros how long they took, in microseconds
     * @param cpuMicros processor time of the server, in microseconds
     */
    public record RedisStats(long scriptCalls, long scriptMicros, double cpuMicros) {

        private static final Pattern SCRIPT_CALLS =
                Pattern.compile("cmdstat_(?:evalsha|eval|fcall)(?:_ro)?:calls=(\\d+),usec=(\\d+)");
        private static final Pattern CPU_SECONDS = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

        /** From the answer to {@code INFO commandstats} and {@code INFO cpu}. */
        static RedisStats parse(String info) {
            long calls = 0;
            long micros = 0;
            for (MatchResult found : SCRIPT_CALLS
                    .matcher(info.toLowerCase(Locale.ROOT))
                    .results()
                    .toList()) {
                calls += Long.parseLong(found.group(1));
                micros += Long.parseLong(found.group(2));
            }
            double seconds = CPU_SECONDS
                    .matcher(info)
                    .results()
                    .mapToDouble(found -> Double.parseDouble(found.group(1)))
                    .sum();
            return new RedisStats(calls, micros, seconds * 1e6);
        }

        RedisStats since(RedisStats earlier) {
            return new RedisStats(
                    scriptCalls - earlier.scriptCalls,
                    scriptMicros - earlier.scriptMicros,
                    cpuMicros - earlier.cpuMicros);
        }
    }
}
