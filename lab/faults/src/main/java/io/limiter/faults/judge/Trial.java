package io.limiter.faults.judge;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Scene;
import io.limiter.faults.process.ServerClock;
import java.util.function.IntFunction;

/** One run of an experiment. */
public final class Trial {

    /** As long as the machine is too busy for a verdict. */
    private static final int MOST_RUNS = 3;

    private Trial() {}

    /**
     * Runs it, again if the machine was too busy for a verdict, and leaves nothing behind.
     *
     * @param seed of all that is random
     */
    public static Result run(Experiment experiment, long seed) throws InterruptedException {
        return run(experiment, seed, member -> System.getProperty("java.class.path"));
    }

    /**
     * The same, with other classes in some JVMs.
     *
     * @param classPath of each JVM, which have numbers from 0
     */
    public static Result run(Experiment experiment, long seed, IntFunction<String> classPath)
            throws InterruptedException {
        Result result = run(experiment, seed, classPath, 0);
        for (int run = 1; run < MOST_RUNS && result.saysNothing(); run++) {
            result = run(experiment, seed, classPath, run);
        }
        return result;
    }

    private static Result run(Experiment experiment, long seed, IntFunction<String> classPath, int runsNotJudged)
            throws InterruptedException {
        try (Scene scene = Scene.open(experiment, seed, classPath)) {
            scene.play();
            return Judge.judge(experiment, scene, seed, runsNotJudged);
        } catch (ServerClock.Unsupported e) {
            return Result.skipped(experiment, seed, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return Result.broken(experiment, seed, e);
        }
    }
}
