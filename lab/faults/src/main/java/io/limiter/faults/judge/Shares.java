package io.limiter.faults.judge;

import io.limiter.FailurePolicy;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Scene;
import java.util.Comparator;
import java.util.List;

/** The shares of a limit under which JVMs decide alone. */
final class Shares {

    private Shares() {}

    /** Of a JVM. One that has not reached Redis before the fault knows of no other. */
    static double of(Limiters limiter, List<Entry> account, Experiment experiment, Scene scene) {
        boolean counted = account.stream()
                .anyMatch(entry -> entry.answer() == Answer.REDIS && entry.returnMicros() < scene.faultMicros());
        return limiter.policy().share(counted ? experiment.counted() : 1);
    }

    /** Of as many JVMs as call at once, those with the largest. Of a limiter with owners, one JVM decides about a key. */
    static double sum(Limiters limiter, List<Double> shares, long atOnce) {
        double sum = shares.stream()
                .sorted(Comparator.reverseOrder())
                .limit(atOnce)
                .mapToDouble(Double::doubleValue)
                .sum();
        return limiter.policy().action() == FailurePolicy.Action.OWNER ? Math.min(1, sum) : sum;
    }
}
