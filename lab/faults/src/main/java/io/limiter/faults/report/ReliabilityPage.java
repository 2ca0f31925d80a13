package io.limiter.faults.report;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Experiments.Family;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The results for readers: a page whose table has a row for each family of experiments, and all figures as CSV next to it. The page says
 * what those files have, so that some experiments can be run again without the others.
 */
public record ReliabilityPage(Csv experiments, Csv bugs, Csv soak) {

    /** Next to the page: all figures of the experiments, of the soak and of the planted bugs. */
    public static final String CSV = "reliability.csv";

    public static final String SOAK_CSV = "reliability-soak.csv";

    public static final String BUGS_CSV = "reliability-bugs.csv";

    private static final String HELD = "held";
    private static final String CAUGHT = "caught";
    private static final String RUNS_NOT_JUDGED = "runs not judged";

    private static final String NOT_COUNTED =
            "Any of the above, while the instances do not count each other, or there is only one";
    private static final String PROMISE_NOT_COUNTED =
            "Each instance may grant the whole limit, so that `n` of them grant it `n` times more";

    /** What the files next to a page contain. The page and the files may not exist. */
    public static ReliabilityPage read(Path page) throws IOException {
        return new ReliabilityPage(csv(page, CSV), csv(page, BUGS_CSV), csv(page, SOAK_CSV));
    }

    private static Csv csv(Path page, String name) throws IOException {
        Path file = page.resolveSibling(name);
        return Csv.parse(Files.exists(file) ? Files.readString(file) : "");
    }

    /** With these results; those of other experiments stay. */
    public ReliabilityPage with(List<Result> results, Evidence evidence, long seed) {
        List<String> names = Experiments.all().stream().map(Experiment::name).toList();
        return new ReliabilityPage(merged(experiments, Rows.of(results, evidence, seed), names), bugs, soak);
    }

    /** With the results of these bugs; those of others stay, as long as there are such bugs. Who has none is there without. */
    public ReliabilityPage withBugs(List<BugResult> results, Evidence evidence, long seed) {
        List<String> names = PlantedBugs.all().stream().map(PlantedBug::name).toList();
        Csv notRun = Rows.ofBugsNotRun();
        Csv known = notRun.with(new Csv(notRun.columns(), bugs.rows()), names);
        return new ReliabilityPage(experiments, merged(known, Rows.ofBugs(results, evidence, seed), names), soak);
    }

    /** Of a result that could not be judged, only its runs are added to what was known before, which stays. */
    private static Csv merged(Csv before, Csv newer, List<String> names) {
        List<Map<String, String>> judged = new ArrayList<>();
        Map<String, Integer> more = new HashMap<>();
        for (Map<String, String> row : newer.rows()) {
            if (Verdict.NOT_JUDGED.equals(row.get("verdict"))) {
                more.put(newer.name(row), runsNotJudged(row));
            } else {
                judged.add(row);
            }
        }
        List<Map<String, String>> known = before.rows().stream()
                .map(row -> withMoreRuns(row, more.getOrDefault(before.name(row), 0)))
                .toList();
        return new Csv(before.columns(), known).with(new Csv(newer.columns(), judged), names);
    }

    private static Map<String, String> withMoreRuns(Map<String, String> row, int more) {
        Map<String, String> sum = new LinkedHashMap<>(row);
        if (more > 0) {
            sum.put(RUNS_NOT_JUDGED, Integer.toString(runsNotJudged(row) + more));
        }
        return sum;
    }

    private static int runsNotJudged(Map<String, String> row) {
        String runs = row.getOrDefault(RUNS_NOT_JUDGED, "");
        return runs.isEmpty() ? 0 : Integer.parseInt(runs);
    }

    /** With the results of a soak. */
    public ReliabilityPage withSoak(List<Result> results, Evidence evidence, long seed) {
        return new ReliabilityPage(experiments, bugs, Rows.of(results, evidence, seed));
    }

    /** Writes the page, and the files that it says something of. */
    public void write(Path page) throws IOException {
        write(page, CSV, experiments);
        write(page, BUGS_CSV, bugs);
        write(page, SOAK_CSV, soak);
        Files.writeString(page, text());
    }

    private static void write(Path page, String name, Csv table) throws IOException {
        if (!table.rows().isEmpty()) {
            Files.writeString(page.resolveSibling(name), table.toString());
        }
    }

    String text() {
        int existing = Experiments.all().size();
        int run = experiments.rows().size();
        return template()
                .replace("${held}", Long.toString(count(experiments, HELD)))
                .replace("${experiments}", run + (run < existing ? " (a selection of the " + existing + ")" : ""))
                .replace("${not judged}", notJudged(experiments))
                .replace("${bugs not judged}", notJudged(bugs))
                .replace("${whole}", whole())
                .replace("${exceptions}", exceptions())
                .replace("${measured}", measured(experiments))
                .replace("${table}", table())
                .replace("${caught}", Long.toString(count(bugs, CAUGHT)))
                .replace("${bugs}", Integer.toString(bugs.rows().size()))
                .replace("${missed}", missed())
                .replace("${bugs measured}", measured(bugs))
                .replace("${soak}", soaked());
    }

    private static long count(Csv table, String verdict) {
        return table.rows().stream()
                .filter(row -> verdict.equals(row.get("verdict")))
                .count();
    }

    /** Of which code the results are, and where they were obtained; with numbers of results if that is not the same for all. */
    private static String measured(Csv table) {
        Map<String, Long> counts = table.rows().stream()
                .filter(row -> !Verdict.NOT_RUN.equals(row.get("verdict")))
                .map(row -> row.get("date") + ", commit " + row.get("commit") + ", " + row.get("jvm") + ", "
                        + row.get("server") + ", " + row.get("processors") + " processors, seed " + row.get("seed"))
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(entry -> "- " + (counts.size() > 1 ? entry.getValue() + " on " : "") + entry.getKey())
                .collect(Collectors.joining("\n"));
    }

    private String whole() {
        long whole = experiments.rows().stream()
                .filter(row -> Rows.WHOLE.equals(row.get("share")))
                .count();
        return whole + " of the " + experiments.rows().size();
    }

    /** How many runs of a table were not judged. */
    private static String notJudged(Csv table) {
        int runs =
                table.rows().stream().mapToInt(ReliabilityPage::runsNotJudged).sum();
        return runs == 0 ? "no run" : runs == 1 ? "one run" : runs + " runs";
    }

    /** What did not hold, and what did not run. */
    private String exceptions() {
        List<String> lines = experiments.rows().stream()
                .filter(row -> !HELD.equals(row.get("verdict")))
                .map(row -> "- **" + row.get("experiment") + "** (" + row.get("verdict") + "): "
                        + row.get("what did not hold"))
                .toList();
        return lines.isEmpty() ? "All promises held, and no experiment was skipped." : String.join("\n", lines);
    }

    /**
     * A row for each family, of the experiments whose JVMs count each other. One more is for the others, which grant more, unless that
     * is so in the whole family.
     */
    private String table() {
        List<String> lines = new ArrayList<>(List.of(
                "| what fails | promise | experiments | largest excess, in permits | verdict |",
                "| --- | --- | ---: | ---: | --- |"));
        List<Map<String, String>> notCounted = new ArrayList<>();
        for (Family family : Experiments.families()) {
            boolean counts = family.experiments().stream().anyMatch(each -> each.counted() > 1);
            List<Map<String, String>> rows = new ArrayList<>();
            for (Map<String, String> row : experiments.rows()) {
                if (family.name().equals(row.get("family"))) {
                    (counts && Rows.WHOLE.equals(row.get("share")) ? notCounted : rows).add(row);
                }
            }
            addRow(family.name(), family.promise(), rows, lines);
        }
        addRow(NOT_COUNTED, PROMISE_NOT_COUNTED, notCounted, lines);
        return String.join("\n", lines);
    }

    private static void addRow(String fails, String promise, List<Map<String, String>> rows, List<String> lines) {
        if (!rows.isEmpty()) {
            lines.add("| " + fails + " | " + promise + " | " + rows.size() + " | " + largestExcess(rows) + " | "
                    + verdicts(rows) + " |");
        }
    }

    /** Behind which a number of leases may stand. */
    private static String largestExcess(List<Map<String, String>> rows) {
        double largest = rows.stream()
                .map(row -> row.getOrDefault("excess", "").replaceAll(" .*", ""))
                .filter(excess -> !excess.isEmpty())
                .mapToDouble(Double::parseDouble)
                .max()
                .orElse(0);
        return Rows.permits(largest);
    }

    /** One word if it is that of all. */
    private static String verdicts(List<Map<String, String>> rows) {
        Map<String, List<String>> names = rows.stream()
                .collect(Collectors.groupingBy(
                        row -> row.getOrDefault("verdict", ""),
                        LinkedHashMap::new,
                        Collectors.mapping(row -> row.getOrDefault("experiment", ""), Collectors.toList())));
        return names.size() == 1
                ? names.keySet().iterator().next()
                : names.entrySet().stream()
                        .filter(entry -> !entry.getKey().equals(HELD))
                        .map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                        .collect(Collectors.joining("; "));
    }

    /** A list with an empty line before and after it, or nothing. */
    private String missed() {
        List<String> lines = bugs.rows().stream()
                .filter(row -> !CAUGHT.equals(row.get("verdict")))
                .map(row -> "- " + row.get("verdict") + ": " + row.get("what it does") + "\n")
                .toList();
        return lines.isEmpty() ? "" : "\n" + String.join("", lines);
    }

    private String soaked() {
        return soak.rows().stream().map(ReliabilityPage::soaked).collect(Collectors.joining("\n"))
                + "\n\nThe code and the machine:\n\n" + measured(soak);
    }

    /** What is done and what was measured are lists, whose entries a semicolon ends. */
    private static String soaked(Map<String, String> row) {
        List<String> entries =
                new ArrayList<>(List.of(row.getOrDefault("what is done", "").split("; ")));
        String done = entries.remove(0);
        entries.addAll(List.of(row.getOrDefault("also measured", "").split("; ")));
        entries.removeIf(String::isEmpty);
        return done + ". Verdict: " + row.get("verdict") + "."
                + (entries.isEmpty() ? "" : "\n\n- " + String.join("\n- ", entries));
    }

    private static String template() {
        try (InputStream page = Objects.requireNonNull(ReliabilityPage.class.getResourceAsStream("reliability.md"))) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
