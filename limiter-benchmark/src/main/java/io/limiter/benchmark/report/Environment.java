package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Timing;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Where and how figures were taken.
 *
 * @param redis its version and where it came from
 * @param command what takes them again
 */
public record Environment(LocalDate date, String jvm, String system, String redis, Timing timing, String command) {

    /** This JVM, today. */
    public static Environment here(String redis, Timing timing, String command) {
        return new Environment(
                LocalDate.now(ZoneOffset.UTC),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors",
                redis,
                timing,
                command);
    }
}
