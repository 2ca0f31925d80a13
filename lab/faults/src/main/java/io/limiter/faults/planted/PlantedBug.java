package io.limiter.faults.planted;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.judge.Result;
import io.limiter.faults.judge.Trial;
import io.limiter.faults.process.Leftovers;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A bug of the limiter, and the experiment that must catch it.
 *
 * @param does what the limiter does wrong
 * @param promise that it breaks, as on the pages
 * @param experiment the name of one
 * @param measure by which that catches it; whatever else it finds may be by chance
 * @param where the JVMs that have it
 * @param quick whether it belongs to the short selection
 */
public record PlantedBug(
        String name,
        String does,
        String promise,
        String experiment,
        Measure measure,
        Where where,
        boolean quick,
        List<Change> changes) {

    enum Where {
        ALL,
        /** Not the first. */
        OTHERS
    }

    static PlantedBug named(
            String name, String does, String promise, String experiment, Measure measure, Change... changes) {
        return new PlantedBug(name, does, promise, experiment, measure, Where.ALL, false, List.of(changes));
    }

    PlantedBug inOthers() {
        return new PlantedBug(name, does, promise, experiment, measure, Where.OTHERS, quick, changes);
    }

    PlantedBug inShort() {
        return new PlantedBug(name, does, promise, experiment, measure, where, true, changes);
    }

    /** The experiment that must catch it. */
    public Experiment trial() {
        return Experiments.all().stream()
                .filter(each -> each.name().equals(experiment))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + ": there is no experiment " + experiment));
    }

    /** Plants it, and runs the experiment. */
    public BugResult run(long seed) throws IOException, InterruptedException {
        Path folder = Leftovers.folder();
        try {
            plant(folder);
            String without = System.getProperty("java.class.path");
            String with = folder + File.pathSeparator + without;
            Result result = Trial.run(trial(), seed, member -> where == Where.OTHERS && member == 0 ? without : with);
            return new BugResult(this, result);
        } finally {
            Leftovers.delete(folder);
        }
    }

    /** Adds what differs to a folder. */
    void plant(Path folder) throws IOException {
        for (Change change : changes) {
            change.addTo(folder);
        }
    }
}
