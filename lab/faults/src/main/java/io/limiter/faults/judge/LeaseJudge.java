package io.limiter.faults.judge;

import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.account.Overlap;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Scene;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/** Judges leases: how many were held at once, how many were lost, and how many were granted in a second. */
final class LeaseJudge {

    private static final int FEWEST_LEASES_PER_SECOND = 10;

    private final Experiment experiment;
    private final Scene scene;
    private final Accounts accounts;
    private final Timed timed;
    private final List<Entry> leases;
    private final BiConsumer<Measure, String> violations;

    LeaseJudge(
            Experiment experiment,
            Scene scene,
            Accounts accounts,
            Timed timed,
            BiConsumer<Measure, String> violations) {
        this.experiment = experiment;
        this.scene = scene;
        this.accounts = accounts;
        this.timed = timed;
        this.leases = Accounts.of(accounts.all(), entry -> entry.answer() == Answer.LEASE);
        this.violations = violations;
    }

    /** The most leases that were held at once. */
    long judge() {
        long most = Overlap.of(leases);
        if (most > Limiters.LEASES.capacity()) {
            violations.accept(Measure.LEASES, most + " leases were held at once, of " + Limiters.LEASES.capacity());
        }
        checkLeases();
        return most;
    }

    /** Where leases are closed after 175 ms on average, of 8 some 40 are granted in a second. */
    private void checkLeases() {
        if (!experiment.calls(Limiters.LEASED)) {
            return;
        }
        if (!experiment.expected().losesLeases()) {
            long lost = leases.stream().filter(lease -> !lease.granted()).count();
            if (lost > 0) {
                violations.accept(Measure.LEASES_LOST, lost + " leases were lost before they were closed");
            }
        }
        checkLeaseRate(scene.faultMicros() - Experiment.BEFORE.toMillis() * 1000);
        // When those of the dead are free, and Redis decides again.
        checkLeaseRate(scene.healedMicros() + 2_000_000);
    }

    private void checkLeaseRate(long fromMicros) {
        long toMicros = fromMicros + 1_500_000;
        double seconds = (toMicros - fromMicros - accounts.machineTook(fromMicros, toMicros)) / 1e6;
        long granted = leases.stream()
                .filter(lease -> lease.callMicros() >= fromMicros && lease.callMicros() < toMicros)
                .count();
        if (granted == 0) {
            timed.checkAtAll(
                    Measure.LEASE_RATE,
                    "no lease was granted in " + (toMicros - fromMicros) / 1000 + " ms",
                    fromMicros,
                    toMicros);
            return;
        }
        timed.check(
                Measure.LEASE_RATE,
                granted >= FEWEST_LEASES_PER_SECOND * (toMicros - fromMicros) / 1e6,
                () -> granted >= FEWEST_LEASES_PER_SECOND * seconds,
                () -> String.format(
                        Locale.ROOT,
                        "%.0f leases were granted in a second (%.0f without what the machine took), of at least %d",
                        granted * 1e6 / (toMicros - fromMicros),
                        granted / seconds,
                        FEWEST_LEASES_PER_SECOND),
                fromMicros,
                toMicros);
    }
}
