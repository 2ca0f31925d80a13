package io.limiter.faults;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Soak;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.nio.file.Path;
import java.time.Duration;
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
 * @param bugs that are planted
 * @param page where the page goes; {@code null} if it is not written
 * @param soak whether the page gets only another section of a soak
 * @param list whether the program only says what there is
 */
record Options(
        List<Experiment> experiments,
        List<PlantedBug> bugs,
        long seed,
        @Nullable Path page,
        boolean soak,
        boolean list) {

    private static final int SHOWN_MINUTES = 30;

    static final Path PAGE = Path.of("docs", "reliability.md");

    static final String USAGE = """
            --list         what experiments there are
            --short        a selection of experiments and planted bugs, in about three minutes
            --planted      plants bugs into the limiter instead, each of which an experiment must catch
            --only a,b     only these experiments, or bugs; * stands for anything, as in redis-*
            --soak n       random faults for n minutes instead; from 30 on, docs/reliability.md shows them
            --seed n       of all that is random; default 1
            --out file     writes the page there, and its figures as CSV next to it, where those of other experiments stay; all
                           experiments, or all bugs, write docs/reliability.md without it, and some write none
            --page         runs nothing, and writes docs/reliability.md again from the CSV next to it
            """;

    static Options parse(List<Experiment> all, String... arguments) {
        Iterator<String> rest = List.of(arguments).iterator();
        List<Experiment> selected = all;
        List<PlantedBug> bugs = List.of();
        String only = null;
        long seed = 1;
        Path page = null;
        boolean soak = false;
        boolean list = false;
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--list" -> list = true;
                case "--short" -> {
                    selected = all.stream().filter(Experiment::quick).toList();
                    bugs = PlantedBugs.all().stream().filter(PlantedBug::quick).toList();
                }
                case "--planted" -> {
                    selected = List.of();
                    bugs = PlantedBugs.all();
                }
                case "--page" -> {
                    selected = List.of();
                    page = PAGE;
                }
                case "--only" -> only = value(option, rest);
                case "--soak" -> {
                    long minutes = number(option, value(option, rest));
                    selected = List.of(soak(minutes));
                    soak = minutes >= SHOWN_MINUTES;
                }
                case "--seed" -> seed = number(option, value(option, rest));
                case "--out" -> page = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("there is no option " + option + ", only\n" + USAGE);
            }
        }
        if (only != null) {
            selected = bugs.isEmpty() ? select(only, selected, Experiment::name) : selected;
            bugs = bugs.isEmpty() ? bugs : select(only, bugs, PlantedBug::name);
        }
        boolean whole = soak || selected.equals(all) || bugs.equals(PlantedBugs.all());
        return new Options(selected, bugs, seed, page == null && whole ? PAGE : page, soak, list);
    }

    private static <T> List<T> select(String patterns, List<T> all, Function<T, String> name) {
        List<T> selected = new ArrayList<>();
        for (String pattern : patterns.split(",", -1)) {
            Pattern regex = Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            List<T> matching = all.stream()
                    .filter(each -> regex.matcher(name.apply(each)).matches())
                    .toList();
            if (matching.isEmpty()) {
                throw new IllegalArgumentException("--only: nothing is named " + pattern + "; there are "
                        + all.stream().map(name).collect(Collectors.joining(", ")));
            }
            selected.addAll(matching);
        }
        return all.stream().filter(selected::contains).toList();
    }

    private static Experiment soak(long minutes) {
        if (minutes < 1) {
            throw new IllegalArgumentException("--soak must be at least 1 minute");
        }
        return Soak.of(Duration.ofMinutes(minutes));
    }

    private static long number(String option, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " must be a whole number, was " + text, e);
        }
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value:\n" + USAGE);
        }
        return rest.next();
    }
}
