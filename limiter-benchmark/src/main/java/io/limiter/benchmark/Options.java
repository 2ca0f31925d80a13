package io.limiter.benchmark;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.measure.Timing;
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
 * @param memory whether keys are weighed
 * @param list whether the program only says what there is
 */
record Options(List<Cell> cells, boolean memory, List<Contender> contenders, Timing timing, Path out, boolean list) {

    static final String USAGE = """
            --short          seven cells in under five minutes
            --cells a,b      only these; * stands for anything, as in hot-*-threads; "memory" weighs keys
            --subjects a,b   only these, and the floor
            --rounds n       slices of each subject in each cell, 1 to 100; default 3
            --seconds s      how long a slice is measured, 0.05 to 600; default 2, or 0.4 with --short
            --out dir        where the page and the chart go; default docs/benchmark
            --list           what cells and subjects there are
            """;

    static final String MEMORY = "memory";

    static Options parse(String... arguments) {
        Iterator<String> rest = List.of(arguments).iterator();
        boolean isShort = false;
        boolean list = false;
        String cells = null;
        String subjects = "*";
        int rounds = 3;
        double seconds = Double.NaN;
        Path out = Path.of("docs", "benchmark");
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--short" -> isShort = true;
                case "--list" -> list = true;
                case "--cells" -> cells = value(option, rest);
                case "--subjects" -> subjects = value(option, rest);
                case "--rounds" -> rounds = (int) number(option, value(option, rest), 1, 100, true);
                case "--seconds" -> seconds = number(option, value(option, rest), 0.05, 600, false);
                case "--out" -> out = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("there is no option " + option + ", only\n" + USAGE);
            }
        }
        if (Double.isNaN(seconds)) {
            seconds = isShort ? 0.4 : 2;
        }
        Timing timing = new Timing(rounds, seconds);
        return new Options(cells(cells, isShort), weighs(cells), contenders(subjects), timing, out, list);
    }

    private static List<Cell> cells(@Nullable String patterns, boolean isShort) {
        List<Cell> all = isShort ? Cells.SHORT : Cells.all();
        if (patterns == null) {
            return all;
        }
        return select("--cells", patterns, all, Cell::name, MEMORY);
    }

    private static boolean weighs(@Nullable String patterns) {
        return patterns == null || List.of(patterns.split(",")).contains(MEMORY);
    }

    /** Always includes the floor: without it there is nothing to compare with. */
    private static List<Contender> contenders(String patterns) {
        List<Contender> selected = select("--subjects", patterns, Contenders.ALL, Contender::name, "");
        return Contenders.ALL.stream()
                .filter(contender -> contender.isFloor() || selected.contains(contender))
                .toList();
    }

    private static <T> List<T> select(
            String option, String patterns, List<T> all, Function<T, String> name, String alsoAllowed) {
        List<T> selected = new ArrayList<>();
        for (String pattern : patterns.split(",")) {
            Pattern regex = Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            List<T> matching = all.stream()
                    .filter(each -> regex.matcher(name.apply(each)).matches())
                    .toList();
            if (matching.isEmpty() && !pattern.equals(alsoAllowed)) {
                throw new IllegalArgumentException(option + ": nothing is named " + pattern + "; there are "
                        + all.stream().map(name).collect(Collectors.joining(", "))
                        + (alsoAllowed.isEmpty() ? "" : ", " + alsoAllowed));
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
