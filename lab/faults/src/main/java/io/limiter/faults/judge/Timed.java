package io.limiter.faults.judge;

import io.limiter.faults.account.Accounts;
import io.limiter.faults.experiment.Measure;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Judges times and rates, which a busy machine spoils. What the machine took is subtracted; if it took much of the time, the run cannot be
 * judged by them.
 */
final class Timed {

    /** Of the time, above which the machine explains more than it took. */
    private static final double MOST_TAKEN = 0.25;

    private final Accounts accounts;
    private final BiConsumer<Measure, String> violations;
    private final Consumer<String> unjudged;

    /** @param unjudged gets why the run cannot be judged */
    Timed(Accounts accounts, BiConsumer<Measure, String> violations, Consumer<String> unjudged) {
        this.accounts = accounts;
        this.violations = violations;
        this.unjudged = unjudged;
    }

    /** Records that something did not happen at all, which a machine explains only if it took most of the time. */
    void checkAtAll(Measure measure, String otherwise, long fromMicros, long toMicros) {
        double taken = taken(fromMicros, toMicros);
        if (taken > 0.5) {
            isUnknown(taken, otherwise);
        } else {
            violations.accept(measure, otherwise);
        }
    }

    private void isUnknown(double taken, String otherwise) {
        unjudged.accept(
                String.format(Locale.ROOT, "the machine took %.0f %% of the time, and %s", 100 * taken, otherwise));
    }

    /** How much of the time the machine took, from 0 to 1. */
    double taken(long fromMicros, long toMicros) {
        return toMicros <= fromMicros
                ? 0
                : (double) accounts.machineTook(fromMicros, toMicros) / (toMicros - fromMicros);
    }

    /**
     * Records what was found in that time. There may be a million checks, so what costs a look at all calls is asked only if the promise
     * does not hold as measured.
     *
     * @param holds whether the promise holds as measured
     * @param adjusted whether it holds without what the machine took
     */
    void check(
            Measure measure,
            boolean holds,
            BooleanSupplier adjusted,
            Supplier<String> otherwise,
            long fromMicros,
            long toMicros) {
        if (holds) {
            return;
        }
        double taken = taken(fromMicros, toMicros);
        if (taken > MOST_TAKEN) {
            isUnknown(taken, otherwise.get());
        } else if (!adjusted.getAsBoolean()) {
            violations.accept(measure, otherwise.get());
        }
    }
}
