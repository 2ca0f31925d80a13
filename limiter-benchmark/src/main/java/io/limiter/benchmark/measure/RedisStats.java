package io.limiter.benchmark.measure;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

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
        for (MatchResult found :
                SCRIPT_CALLS.matcher(info.toLowerCase(Locale.ROOT)).results().toList()) {
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
                scriptCalls - earlier.scriptCalls, scriptMicros - earlier.scriptMicros, cpuMicros - earlier.cpuMicros);
    }
}
