package io.limiter.faults.report;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What runs and how long it will take: on a terminal a line that is written over every second, elsewhere a line for each
 * experiment that has ended.
 */
public final class Progress implements AutoCloseable {

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final boolean terminal = System.console() != null;
    private final List<Experiment> experiments;
    private final Thread ticker = new Thread(this::tick, "progress");
    private @Nullable Experiment running;
    private String name = "";
    private int number;
    private long startNanos;
    private Duration left;
    private Duration ended = Duration.ZERO;
    private Duration planned = Duration.ZERO;

    public Progress(List<Experiment> experiments) {
        this.experiments = experiments;
        this.left = experiments.stream().map(Experiment::duration).reduce(Duration.ZERO, Duration::plus);
        System.out.println(experiments.size() + " experiments, about " + text(left));
        ticker.setDaemon(true);
        if (terminal) {
            ticker.start();
        }
    }

    /**
     * @param newName of the experiment, or of the bug planted into it
     */
    public synchronized void begins(String newName, Experiment experiment) {
        name = newName;
        running = experiment;
        number++;
        startNanos = System.nanoTime();
    }

    public void ended(Result result) {
        ended(result, Verdict.of(result));
    }

    public void ended(BugResult result) {
        ended(result.result(), Verdict.of(result));
    }

    private synchronized void ended(Result result, String verdict) {
        Experiment experiment = result.experiment();
        left = left.minus(experiment.duration());
        planned = planned.plus(experiment.duration());
        ended = ended.plusNanos(System.nanoTime() - startNanos);
        running = null;
        System.out.printf(
                Locale.ROOT,
                "%s%3d/%d  %-36s %s  (seed %d, %s left)%n",
                terminal ? CLEAR_LINE : "",
                number,
                experiments.size(),
                name,
                verdict,
                result.seed(),
                text(expected(left)));
        result.violations().stream()
                .limit(5)
                .forEach(violation -> System.out.println("         " + violation.measure() + ": " + violation));
    }

    private void tick() {
        try {
            while (true) {
                show();
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void show() {
        if (running != null) {
            Duration passed = Duration.ofNanos(System.nanoTime() - startNanos);
            Duration ofThis = running.duration().minus(passed);
            Duration others = left.minus(running.duration());
            System.out.printf(
                    "%s%3d/%d  %s  %s left",
                    CLEAR_LINE,
                    number,
                    experiments.size(),
                    name,
                    text(expected(others.plus(ofThis.isNegative() ? Duration.ZERO : ofThis))));
            System.out.flush();
        }
    }

    /** As much longer than planned as what has ended. */
    private Duration expected(Duration plan) {
        return planned.isZero() ? plan : Duration.ofMillis(plan.toMillis() * ended.toMillis() / planned.toMillis());
    }

    private static String text(Duration duration) {
        return String.format(Locale.ROOT, "%d:%02d min", duration.toMinutes(), duration.toSecondsPart());
    }

    @Override
    public void close() {
        ticker.interrupt();
    }
}
