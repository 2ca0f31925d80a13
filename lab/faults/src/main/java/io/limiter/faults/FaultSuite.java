package io.limiter.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.judge.Result;
import io.limiter.faults.judge.Trial;
import io.limiter.faults.planted.Conviction;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.report.Environment;
import io.limiter.faults.report.Progress;
import io.limiter.faults.report.ReliabilityPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.slf4j.LoggerFactory;

/** Runs experiments, and those that must convict planted bugs, prints their results, and writes the page about them. */
public final class FaultSuite {

    private FaultSuite() {}

    /**
     * Ends with status 1 if a promise did not hold or a bug was not convicted, and with 2 if the arguments cannot be understood.
     *
     * @param arguments see {@link Options#USAGE}
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options;
        try {
            options = Options.parse(Experiments.all(), arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        // That a node is gone is no news here.
        ((Logger) LoggerFactory.getLogger("io.lettuce")).setLevel(Level.ERROR);
        if (options.list()) {
            list(options.experiments());
            options.bugs()
                    .forEach(bug -> System.out.printf(
                            Locale.ROOT, "%-36s %-36s %s%n", bug.name(), bug.experiment(), bug.does()));
        } else {
            System.exit(run(options) ? 0 : 1);
        }
    }

    private static void list(List<Experiment> experiments) {
        for (Experiment experiment : experiments) {
            System.out.printf(
                    Locale.ROOT,
                    "%-36s %3d s  %s  %s%n",
                    experiment.name(),
                    experiment.duration().toSeconds(),
                    experiment.quick() ? "short" : "     ",
                    experiment.does());
        }
    }

    private static boolean run(Options options) throws IOException, InterruptedException {
        Environment environment = Environment.here();
        System.out.println(environment + "; seed " + options.seed());
        List<Result> results = new ArrayList<>();
        List<Conviction> convictions = new ArrayList<>();
        List<Experiment> all = new ArrayList<>(options.experiments());
        options.bugs().stream().map(PlantedBug::trial).forEach(all::add);
        try (Progress progress = new Progress(all)) {
            for (Experiment experiment : options.experiments()) {
                progress.begins(experiment.name(), experiment);
                Result result = Trial.run(experiment, seed(options, experiment));
                progress.ended(result);
                results.add(result);
            }
            for (PlantedBug bug : options.bugs()) {
                progress.begins(bug.name(), bug.trial());
                Conviction conviction = bug.run(seed(options, bug.trial()));
                progress.ended(conviction);
                convictions.add(conviction);
            }
        }
        System.out.println();
        if (!results.isEmpty()) {
            System.out.println(ReliabilityPage.summary(results));
        }
        if (!convictions.isEmpty()) {
            System.out.println(ReliabilityPage.convicted(convictions));
        }
        if (options.page() != null) {
            write(options, results, convictions, environment);
        }
        return results.stream().allMatch(Result::holds) && convictions.stream().allMatch(Conviction::isConvicted);
    }

    private static void write(
            Options options, List<Result> results, List<Conviction> convictions, Environment environment)
            throws IOException {
        Path file = Objects.requireNonNull(options.page());
        String page = Files.exists(file) ? Files.readString(file) : "";
        if (options.soak()) {
            page = ReliabilityPage.withSoak(page, results, environment, options.seed());
            Files.writeString(file.resolveSibling(ReliabilityPage.SOAK_CSV), ReliabilityPage.csv(results));
        } else if (!results.isEmpty()) {
            page = ReliabilityPage.page(page, results, Experiments.all().size(), environment, options.seed());
            Files.writeString(file.resolveSibling(ReliabilityPage.CSV), ReliabilityPage.csv(results));
        }
        if (!convictions.isEmpty()) {
            page = ReliabilityPage.withConvictions(page, convictions, environment, options.seed());
            Files.writeString(
                    file.resolveSibling(ReliabilityPage.BUGS_CSV), ReliabilityPage.csvOfConvictions(convictions));
        }
        Files.writeString(file, page);
    }

    /** The same for an experiment however many others run. */
    private static long seed(Options options, Experiment experiment) {
        return options.seed() * 1_000_003 + experiment.name().hashCode();
    }
}
