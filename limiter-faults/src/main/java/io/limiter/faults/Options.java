package io.limiter.faults;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Soak;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of the program.
 *
 * @param page where the page goes; {@code null} if it is not written
 * @param soak whether the page gets only another section of a soak
 * @param list whether the program only says what there is
 */
record Options(
        List<Experiment> experiments, long seed, @Nullable Path page, boolean soak, boolean list) {

    private static final int SHOWN_MINUTES = 30;

    static final Path PAGE = Path.of("docs", "reliability.md");

    static final String USAGE = """
            --list         what experiments there are
            --short        a selection, in about four minutes, that a busy machine cannot break
            --only a,b     only these; * stands for anything, as in redis-*
            --soak n       random faults for n minutes instead; from 30 on, docs/reliability.md shows them
            --seed n       of all that is random; default 1
            --out file     writes the page there; all experiments write docs/reliability.md without it, and some write none
            """;

    static Options parse(List<Experiment> all, String... arguments) {
        Iterator<String> rest = List.of(arguments).iterator();
        List<Experiment> selected = all;
        long seed = 1;
        Path page = null;
        boolean soak = false;
        boolean list = false;
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--list" -> list = true;
                case "--short" ->
                    selected = all.stream()
                            .filter(Experiment::quick)
                            .map(Experiment::onBusyMachine)
                            .toList();
                case "--only" -> selected = select(value(option, rest), all);
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
        return new Options(selected, seed, page == null && (soak || selected.equals(all)) ? PAGE : page, soak, list);
    }

    private static List<Experiment> select(String patterns, List<Experiment> all) {
        List<Experiment> selected = new ArrayList<>();
        for (String pattern : patterns.split(",", -1)) {
            Pattern regex = Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            List<Experiment> matching = all.stream()
                    .filter(each -> regex.matcher(each.name()).matches())
                    .toList();
            if (matching.isEmpty()) {
                throw new IllegalArgumentException("--only: no experiment is named " + pattern + "; there are "
                        + all.stream().map(Experiment::name).collect(Collectors.joining(", ")));
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
