package io.limiter.faults.judge;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Scene;
import io.limiter.faults.process.ServerClock;
import java.util.function.IntFunction;

/** One run of an experiment. */
public final class Trial {

    private Trial() {}

    /**
     * Runs it, and leaves nothing behind.
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
        try (Scene scene = Scene.open(experiment, seed, classPath)) {
            scene.play();
            return Judge.judge(experiment, scene, seed);
        } catch (ServerClock.Unsupported e) {
            return Result.skipped(experiment, seed, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return Result.broken(experiment, seed, e);
        }
    }
}
