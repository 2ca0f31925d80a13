package io.limiter.benchmark.report;

import io.limiter.benchmark.outage.FleetResult;
import io.limiter.faults.report.Evidence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures of outages as CSV: a line for each library, fleet, limit and fault, with the {@link Evidence} of its run. */
final class OutageFigures {

    static final String FILE = "outage.csv";

    private static final String HEADER =
            "library,instances,limit,fault,fault_s,calls,granted,errors,unanswered,above,above_documented,p50_ms,p99_ms,longest_ms,recovery_ms,"
                    + String.join(",", Evidence.COLUMNS);

    private OutageFigures() {}

    /** @param before lines that stay unless others take their place; empty for none */
    static String text(List<Results> runs, String before) {
        Map<String, String> lines = new LinkedHashMap<>();
        before.lines().skip(1).forEach(line -> lines.put(place(line), line));
        for (Results run : runs) {
            for (FleetResult result : run.outages()) {
                String line = line(result) + ","
                        + String.join(",", run.environment().evidence().cells());
                lines.put(place(line), line);
            }
        }
        return Stream.concat(Stream.of(HEADER), lines.values().stream()).collect(Collectors.joining("\n", "", "\n"));
    }

    /** Of the first four cells. */
    private static String place(String line) {
        return Stream.of(line.split(",", -1)).limit(4).collect(Collectors.joining(","));
    }

    private static String line(FleetResult result) {
        return Stream.of(
                        result.library(),
                        result.instances(),
                        // Without the comma of the thousands.
                        result.limit().replace(",", ""),
                        result.fault(),
                        decimal(result.seconds()),
                        result.calls(),
                        result.granted(),
                        result.failed(),
                        result.unanswered(),
                        result.above(),
                        result.documented() == null ? "" : result.documented(),
                        decimal(result.p50Millis()),
                        decimal(result.p99Millis()),
                        decimal(result.longestMillis()),
                        decimal(result.recoveryMillis()))
                .map(Object::toString)
                .collect(Collectors.joining(","));
    }

    /** Empty if there is no such number. */
    private static String decimal(@Nullable Double number) {
        return number == null ? "" : String.format(Locale.ROOT, "%.3f", number);
    }
}
