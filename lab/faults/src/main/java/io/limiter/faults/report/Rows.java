package io.limiter.faults.report;

import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBugs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Results as tables, with all their figures. */
final class Rows {

    /** The share of JVMs that do not count each other. */
    static final String WHOLE = "1";

    private static final int MOST_VIOLATIONS = 5;

    private static final List<String> FIGURES = List.of(
            "experiment",
            "family",
            "what is done",
            "promise",
            "share",
            "excess",
            "beyond promise",
            "taken in Redis",
            "wrongly rejected",
            "decided by",
            "p50, p99, worst call",
            "p50, p99, worst park",
            "recovery",
            "recovery without the machine",
            "lines logged",
            "also measured",
            "verdict",
            "what did not hold",
            "runs not judged",
            "seed");

    private static final List<String> OF_BUGS = List.of(
            "bug",
            "what it does",
            "promise",
            "experiment",
            "measure",
            "what was found",
            "verdict",
            "runs not judged",
            "seed");

    private Rows() {}

    /**
     * Of experiments.
     *
     * @param seed of the run
     */
    static Csv of(List<Result> results, Evidence evidence, long seed) {
        return table(FIGURES, results.stream().map(Rows::row).toList(), evidence, seed);
    }

    /** Of planted bugs. */
    static Csv ofBugs(List<BugResult> bugs, Evidence evidence, long seed) {
        return table(OF_BUGS, bugs.stream().map(Rows::row).toList(), evidence, seed);
    }

    /** Of all planted bugs, without results. */
    static Csv ofBugsNotRun() {
        return new Csv(
                Stream.concat(OF_BUGS.stream(), Evidence.COLUMNS.stream()).toList(),
                PlantedBugs.all().stream()
                        .map(bug -> Map.of(
                                "bug",
                                bug.name(),
                                "what it does",
                                bug.does(),
                                "promise",
                                bug.promise(),
                                "experiment",
                                bug.experiment(),
                                "measure",
                                bug.measure().toString(),
                                "verdict",
                                Verdict.NOT_RUN))
                        .toList());
    }

    /** @param figures of each row, which may be short at its end */
    private static Csv table(List<String> columns, List<List<String>> figures, Evidence evidence, long seed) {
        return new Csv(
                Stream.concat(columns.stream(), Evidence.COLUMNS.stream()).toList(),
                figures.stream()
                        .map(cells -> {
                            Map<String, String> row = new LinkedHashMap<>();
                            put(row, columns, cells);
                            row.put("seed", Long.toString(seed));
                            put(row, Evidence.COLUMNS, evidence.cells());
                            return row;
                        })
                        .toList());
    }

    private static void put(Map<String, String> row, List<String> columns, List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            row.put(columns.get(i), cells.get(i));
        }
    }

    private static List<String> row(BugResult result) {
        return List.of(
                result.bug().name(),
                result.bug().does(),
                result.bug().promise(),
                result.bug().experiment(),
                result.bug().measure().toString(),
                evidence(result),
                Verdict.of(result),
                Integer.toString(result.result().runsNotJudged()));
    }

    static String evidence(BugResult result) {
        return result.isCaught()
                ? result.evidence().get(0).text()
                : "nothing: " + sources(result.result().sources());
    }

    private static List<String> row(Result result) {
        boolean ran = ran(result);
        return List.of(
                result.experiment().name(),
                Experiments.familyOf(result.experiment()),
                result.experiment().does(),
                result.experiment().promise(),
                result.experiment().counted() == 1
                        ? WHOLE
                        : "1/" + result.experiment().counted(),
                ran ? excess(result) : "",
                ran ? permits(result.beyondPromise()) : "",
                ran ? conservation(result.conservation()) : "",
                ran ? Long.toString(result.wronglyRejected()) : "",
                ran ? sources(result.sources()) : "",
                ran ? latency(result.calls()) : "",
                ran ? latency(result.control()) : "",
                ran ? recovery(result) : "",
                ran ? adjusted(result) : "",
                ran ? Long.toString(result.linesLogged()) : "",
                String.join("; ", result.notes()),
                Verdict.of(result),
                exceptions(result),
                Integer.toString(result.runsNotJudged()));
    }

    /** What did not hold, or why it did not run; empty if all held. */
    private static String exceptions(Result result) {
        if (result.skipped() != null) {
            return result.skipped();
        }
        return result.isUnknown() && result.notJudged() != null
                ? result.notJudged()
                : result.violations().stream()
                        .limit(MOST_VIOLATIONS)
                        .map(Violation::toString)
                        .collect(Collectors.joining("; "));
    }

    private static boolean ran(Result result) {
        return result.skipped() == null && result.calls().worstMicros() > 0;
    }

    private static String excess(Result result) {
        String leases = result.mostLeases() > 0 ? " (" + result.mostLeases() + " leases)" : "";
        return permits(result.excess()) + leases;
    }

    static String permits(double permits) {
        return String.format(Locale.ROOT, "%.1f", Math.max(0, permits));
    }

    private static String conservation(@Nullable Conservation conservation) {
        return conservation == null ? "" : conservation.toString();
    }

    private static String sources(Map<Answer, Long> sources) {
        double all = sources.values().stream().mapToLong(Long::longValue).sum();
        return sources.entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%s %.1f %%",
                        entry.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        100 * entry.getValue() / all))
                .collect(Collectors.joining(", "));
    }

    private static String latency(Result.Latency latency) {
        return millis(latency.p50Micros()) + ", " + millis(latency.p99Micros()) + ", " + millis(latency.worstMicros())
                + " ms";
    }

    private static String recovery(Result result) {
        return result.recoveryMicros().isEmpty()
                ? "over " + Experiment.AFTER.toSeconds() + " s"
                : millis(result.recoveryMicros().getAsLong()) + " ms";
    }

    private static String adjusted(Result result) {
        return result.adjustedRecoveryMicros() < 0 ? "" : millis(result.adjustedRecoveryMicros()) + " ms";
    }

    private static String millis(long micros) {
        return String.format(Locale.ROOT, micros < 10_000 ? "%.1f" : "%,.0f", micros / 1000.0);
    }
}
