package io.limiter.faults.judge;

import io.limiter.FailurePolicy;
import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Scene;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Judges whether too little is granted: of a limiter that is called often enough, most of what it may grant is granted. */
final class ShortfallJudge {

    /** Of what a limiter is refilled by, as it may be called too seldom for a moment. */
    private static final double LEAST_SHARE = 0.8;

    private static final long SECOND_MICROS = 1_000_000;

    private final Experiment experiment;
    private final Scene scene;
    private final Accounts accounts;
    private final Timed timed;

    ShortfallJudge(Experiment experiment, Scene scene, Accounts accounts, Timed timed) {
        this.experiment = experiment;
        this.scene = scene;
        this.accounts = accounts;
        this.timed = timed;
    }

    void judge(Limiters limiter) {
        if (!limiter.isOverloaded() || experiment.expected().freezes()) {
            return;
        }
        checkAfterwards(limiter);
        if (limiter.policy().action() == FailurePolicy.Action.LOCAL) {
            accounts.ofEach().forEach(account -> checkAlone(limiter, account));
        } else if (limiter.policy().action() == FailurePolicy.Action.OWNER && experiment.counted() > 1) {
            checkOwners(limiter);
        }
    }

    /** When Redis decides again, for all JVMs together. */
    private void checkAfterwards(Limiters limiter) {
        long from = scene.healedMicros() + experiment.expected().recovery().toMillis() * 1000;
        long to = accounts.all().stream()
                .filter(entry -> entry.answer().isDecision())
                .mapToLong(Entry::callMicros)
                .max()
                .orElse(0);
        if (to - from < SECOND_MICROS) {
            return;
        }
        byKey(accounts.all(), limiter, from, to).forEach((key, calls) -> check(calls, limiter, key, "", 1, from, to));
    }

    /** A JVM that decides alone, while it does: it grants its share, and so do all others. */
    private void checkAlone(Limiters limiter, List<Entry> account) {
        checkWithoutRedis(
                limiter, account, call -> call.answer() == Answer.LOCAL, " by a JVM alone", leastShare(limiter));
    }

    /** The owner of each key grants the whole limit. Which JVM that is does not matter, but there is one. */
    private void checkOwners(Limiters limiter) {
        checkWithoutRedis(
                limiter,
                accounts.all(),
                call -> call.answer() == Answer.LOCAL || call.answer() == Answer.POLICY,
                " by its owner",
                1);
    }

    /** What is granted of each key, from a second after the fault until Redis decides. */
    private void checkWithoutRedis(
            Limiters limiter, List<Entry> account, Predicate<Entry> which, String who, double share) {
        long from = scene.faultMicros() + SECOND_MICROS;
        byKey(account, limiter, from, scene.healedMicros()).forEach((key, calls) -> {
            // Redis may decide again before the experiment says so.
            long until = calls.stream()
                    .filter(call -> call.answer().isOfRedis())
                    .mapToLong(Entry::callMicros)
                    .min()
                    .orElse(Long.MAX_VALUE);
            List<Entry> alone = Accounts.of(calls, call -> which.test(call) && call.callMicros() < until);
            long first = alone.stream().mapToLong(Entry::callMicros).min().orElse(0);
            long last = alone.stream().mapToLong(Entry::callMicros).max().orElse(0);
            if (last - first >= SECOND_MICROS) {
                check(alone, limiter, key, who, share, first, last);
            }
        });
    }

    private static Map<Integer, List<Entry>> byKey(Collection<Entry> entries, Limiters limiter, long from, long to) {
        return entries.stream()
                .filter(entry -> entry.limiter() == limiter
                        && entry.answer().isDecision()
                        && entry.callMicros() >= from
                        && entry.callMicros() <= to)
                .collect(Collectors.groupingBy(Entry::key));
    }

    /** Those that have started since may be counted, too. */
    private double leastShare(Limiters limiter) {
        int started = scene.members().size() - experiment.members().size();
        return limiter.policy().share().orElse(1.0 / (experiment.counted() + started));
    }

    private void check(List<Entry> calls, Limiters limiter, int key, String who, double share, long from, long to) {
        long granted =
                calls.stream().filter(Entry::granted).mapToLong(Entry::permits).sum();
        long wanted = calls.stream().mapToLong(Entry::permits).sum();
        double possible = Math.min(wanted, share * limiter.rate() * (to - from) / 1e6);
        double least = LEAST_SHARE * possible;
        Supplier<String> otherwise = () -> String.format(
                Locale.ROOT,
                "%d permits of %s, key %d, were granted%s where %.0f were possible",
                granted,
                limiter,
                key,
                who,
                possible);
        if (granted == 0 && least > 1) {
            timed.checkAtAll(Measure.SHORTFALL, otherwise.get(), from, to);
            return;
        }
        timed.check(
                Measure.SHORTFALL,
                granted >= least - 1,
                () -> granted >= least * (1 - timed.taken(from, to)) - 1,
                otherwise,
                from,
                to);
    }
}
