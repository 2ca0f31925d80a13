package io.limiter.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.judge.Result;
import io.limiter.faults.judge.Trial;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.process.RedisServer;
import io.limiter.faults.report.Evidence;
import io.limiter.faults.report.Progress;
import io.limiter.faults.report.ReliabilityPage;
import io.limiter.faults.report.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/** Runs experiments, and those that must catch planted bugs, prints their results, and writes the page about them. */
public final class FaultSuite {

    private FaultSuite() {}

    /**
     * Ends with status 1 if a promise did not hold or a bug was not caught (but not if the machine was too busy to judge a promise),
     * and with 2 if the arguments cannot be understood.
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
        Evidence evidence = Evidence.here(RedisServer.version(), "limiter-core", "limiter-live");
        System.out.println(evidence + "; seed " + options.seed());
        List<Result> results = new ArrayList<>();
        List<BugResult> bugs = new ArrayList<>();
        List<Experiment> all = new ArrayList<>(options.experiments());
        options.bugs().stream().map(PlantedBug::trial).forEach(all::add);
        try (Progress progress = new Progress(all)) {
            for (Experiment experiment : options.experiments()) {
                progress.begins(experiment.name(), experiment);
                Result result = Trial.run(experiment, seed(options, experiment));
                progress.ended(result);
                results.add(result);
                write(options, List.of(result), List.of(), evidence);
            }
            for (PlantedBug bug : options.bugs()) {
                progress.begins(bug.name(), bug.trial());
                BugResult result = bug.run(seed(options, bug.trial()));
                progress.ended(result);
                bugs.add(result);
                write(options, List.of(), List.of(result), evidence);
            }
        }
        System.out.println();
        if (!results.isEmpty()) {
            System.out.println(Summary.of(results, evidence));
        }
        if (!bugs.isEmpty()) {
            System.out.println(Summary.ofBugs(bugs));
        }
        if (all.isEmpty()) {
            write(options, results, bugs, evidence);
        }
        return results.stream().allMatch(result -> result.holds() || result.isUnknown())
                && bugs.stream().allMatch(BugResult::isCaught);
    }

    /** Each result when it is there, because all of them take long, and once only, because the runs that were not judged are added up. */
    private static void write(Options options, List<Result> results, List<BugResult> bugs, Evidence evidence)
            throws IOException {
        Path file = options.page();
        if (file == null) {
            return;
        }
        ReliabilityPage page = ReliabilityPage.read(file);
        page = options.soak() && !results.isEmpty()
                ? page.withSoak(results, evidence, options.seed())
                : page.with(results, evidence, options.seed());
        page.withBugs(bugs, evidence, options.seed()).write(file);
    }

    /** The same for an experiment however many others run. */
    private static long seed(Options options, Experiment experiment) {
        return options.seed() * 1_000_003 + experiment.name().hashCode();
    }
}
