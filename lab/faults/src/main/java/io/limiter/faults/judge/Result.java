package io.limiter.faults.judge;

import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Measure.Violation;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What an experiment has shown.
 *
 * @param excess the most that all JVMs granted together beyond {@code capacity + rate * d}
 * @param beyondPromise the most that anybody granted beyond what is promised of him
 * @param conservation permits taken, granted and ambiguous; {@code null} if Redis's state did not last
 * @param wronglyRejected calls that were rejected although there were permits
 * @param sources decisions by what they come from, from the fault to its end
 * @param calls how long calls took from the fault on
 * @param control how much longer than wanted the control thread parked in that time
 * @param recoveryMicros from the end of the fault to Redis's first decision for the last JVM; empty if there was none
 * @param adjustedRecoveryMicros the same without what the machine took
 * @param mostLeases the most leases held at once; 0 without leases
 * @param linesLogged by all JVMs
 * @param notes what else was measured
 * @param violations what did not hold
 * @param skipped why it did not run; {@code null} if it did
 * @param notJudged why it could not be judged by times and rates; {@code null} if it could
 * @param runsNotJudged how many runs could not, this one included
 */
public record Result(
        Experiment experiment,
        long seed,
        double excess,
        double beyondPromise,
        @Nullable Conservation conservation,
        long wronglyRejected,
        Map<Answer, Long> sources,
        Latency calls,
        Latency control,
        OptionalLong recoveryMicros,
        long adjustedRecoveryMicros,
        long mostLeases,
        long linesLogged,
        List<String> notes,
        List<Violation> violations,
        @Nullable String skipped,
        @Nullable String notJudged,
        int runsNotJudged) {

    /** It could not run here. */
    public static Result skipped(Experiment experiment, long seed, String reason) {
        return without(experiment, seed, List.of(), reason);
    }

    static Result broken(Experiment experiment, long seed, Exception failure) {
        return without(
                experiment,
                seed,
                List.of(new Violation(Measure.VALIDITY, "the experiment itself has failed: " + failure)),
                null);
    }

    private static Result without(
            Experiment experiment, long seed, List<Violation> violations, @Nullable String skipped) {
        Latency none = new Latency(0, 0, 0);
        return new Result(
                experiment,
                seed,
                0,
                0,
                null,
                0,
                Map.of(),
                none,
                none,
                OptionalLong.empty(),
                0,
                0,
                0,
                List.of(),
                violations,
                skipped,
                null,
                0);
    }

    /** Whether it ran and kept what it promises. */
    public boolean holds() {
        return violations.isEmpty() && skipped == null && !isUnknown();
    }

    /** Whether nothing was found, and something would have had to be judged on a quieter machine. */
    public boolean isUnknown() {
        return violations.isEmpty() && notJudged != null;
    }

    /** Whether another run may show more: the machine was too busy, or the experiment itself has failed. */
    public boolean saysNothing() {
        return notJudged != null && violations.isEmpty() || hasFailed();
    }

    private boolean hasFailed() {
        return !violations.isEmpty()
                && violations.stream().allMatch(violation -> violation.measure() == Measure.VALIDITY);
    }

    /** The median, the 99th percentile and the longest. */
    public record Latency(long p50Micros, long p99Micros, long worstMicros) {

        static Latency of(long[] sortedMicros) {
            int count = sortedMicros.length;
            return count == 0
                    ? new Latency(0, 0, 0)
                    : new Latency(
                            sortedMicros[count / 2],
                            sortedMicros[(int) Math.min(count - 1, count * 99L / 100)],
                            sortedMicros[count - 1]);
        }
    }
}
