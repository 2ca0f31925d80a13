package io.limiter.benchmark;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.report.BenchmarkPages;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of the program.
 *
 * @param parts names of what is measured
 * @param pages what is written
 * @param results where the results of finished parts are kept
 * @param merged whether the pages also show the results of other JDKs
 * @param whole whether it is the whole comparison, whose pages keep nothing of what was said of all sections
 * @param continued whether finished parts of an earlier run are kept
 * @param list whether the program only says what there is
 */
record Options(
        List<String> parts,
        List<Contender> contenders,
        Timing timing,
        BenchmarkPages pages,
        Path results,
        boolean merged,
        boolean whole,
        boolean continued,
        boolean list) {

    static final String USAGE = """
            --short          the rows of the summary, with fewer subjects, in under five minutes
            --cells a,b      only these; * stands for anything, as in hot-*-threads, arrivals-* or *-rtt-500; also "memory",
                             "fleets", "servers" if wrk is installed, and outage-*, which no other option changes
            --subjects a,b   only these, and the floor
            --rounds n       slices of each subject in each cell, 1 to 100; default 5, or 3 with --short
            --seconds s      how long a slice is measured, 0.05 to 600; default 2, or 0.3 with --short
            --warm-up s      load on each subject in each cell before the first round, 0.05 to 600; default 15, or 0.5 with --short
            --continue       keeps what an interrupted run has finished; the pages have all JDKs, also of a part
            --out dir        where the page for users and its figures go; default docs/benchmark, or target/benchmark/part if not all
                             is run. The page for contributors is lab/benchmark/README.md if it is docs/benchmark, else next to
                             the other. What is only a part replaces its own sections of the pages that are there
            --list           what cells and subjects there are
            """;

    private static final Path DOCUMENTATION = Path.of("docs", "benchmark");
    private static final Path RESULTS = Path.of("target", "benchmark");

    /** Those that rows of the summary can name. */
    private static final String SHORT_SUBJECTS =
            "limiter,limiter-yield,limiter-prefetch,limiter-local,bucket4j-batching,redisson,guava";

    static Options parse(String... arguments) {
        Iterator<String> rest = List.of(arguments).iterator();
        boolean isShort = false;
        boolean list = false;
        boolean continued = false;
        String cells = null;
        String subjects = null;
        int rounds = 0;
        double seconds = 0;
        double warmUp = 0;
        Path out = null;
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--short" -> isShort = true;
                case "--list" -> list = true;
                case "--continue" -> continued = true;
                case "--cells" -> cells = value(option, rest);
                case "--subjects" -> subjects = value(option, rest);
                case "--rounds" -> rounds = (int) number(option, value(option, rest), 1, 100, true);
                case "--seconds" -> seconds = number(option, value(option, rest), 0.05, 600, false);
                case "--warm-up" -> warmUp = number(option, value(option, rest), 0.05, 600, false);
                case "--out" -> out = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("there is no option " + option + ", only\n" + USAGE);
            }
        }
        boolean all = !isShort && cells == null && subjects == null;
        Path results = all ? RESULTS : RESULTS.resolve("part");
        return new Options(
                parts(cells, isShort),
                contenders(subjects == null ? isShort ? SHORT_SUBJECTS : "*" : subjects),
                new Timing(
                        rounds > 0 ? rounds : isShort ? 3 : 5,
                        seconds > 0 ? seconds : isShort ? 0.3 : 2,
                        warmUp > 0 ? warmUp : isShort ? 0.5 : 15),
                pages(out != null ? out : all ? DOCUMENTATION : results),
                results,
                all || continued,
                all,
                continued,
                list);
    }

    static BenchmarkPages pages(Path out) {
        return new BenchmarkPages(
                out.resolve("README.md"),
                out.equals(DOCUMENTATION) ? Path.of("lab", "benchmark", "README.md") : out.resolve("contributors.md"),
                out.resolve("figures.csv"));
    }

    private static List<String> parts(@Nullable String patterns, boolean isShort) {
        List<String> parts = isShort ? Cell.SUMMARY.stream().map(Cell::name).toList() : Part.WHOLE;
        return patterns == null
                ? parts
                : select("--cells", patterns, isShort ? parts : Part.NAMES, Function.identity());
    }

    /** Always includes the floor: without it there is nothing to compare with. */
    private static List<Contender> contenders(String patterns) {
        List<Contender> selected = select("--subjects", patterns, Contenders.ALL, Contender::name);
        return Contenders.ALL.stream()
                .filter(contender -> contender.isFloor() || selected.contains(contender))
                .toList();
    }

    private static <T> List<T> select(String option, String patterns, List<T> all, Function<T, String> name) {
        List<T> selected = new ArrayList<>();
        for (String pattern : patterns.split(",")) {
            Pattern regex = Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            List<T> matching = all.stream()
                    .filter(each -> regex.matcher(name.apply(each)).matches())
                    .toList();
            if (matching.isEmpty()) {
                throw new IllegalArgumentException(option + ": nothing is named " + pattern + "; there are "
                        + all.stream().map(name).collect(Collectors.joining(", ")));
            }
            selected.addAll(matching);
        }
        return all.stream().filter(selected::contains).toList();
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value:\n" + USAGE);
        }
        return rest.next();
    }

    private static double number(String option, String text, double least, double most, boolean whole) {
        double number;
        try {
            number = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            number = Double.NaN;
        }
        if (!(number >= least && number <= most) || whole && number != Math.rint(number)) {
            throw new IllegalArgumentException(option + " must be a " + (whole ? "whole " : "") + "number from "
                    + (whole ? Integer.toString((int) least) : Double.toString(least)) + " to " + (int) most + ", was "
                    + text);
        }
        return number;
    }
}
