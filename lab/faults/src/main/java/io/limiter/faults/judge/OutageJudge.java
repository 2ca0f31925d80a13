package io.limiter.faults.judge;

import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Scene;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Judges who decided: how long calls took without Redis, when it decided again, and what it could have decided meanwhile. */
final class OutageJudge {

    /** Longer than Redis takes for a decision. */
    private static final long SLICE_MICROS = 100_000;

    /** Half of the decision timeout. */
    private static final long SLOW_MICROS = 50_000;

    /** How long prefetched permits are usable where there are enough. */
    private static final long USABLE_MICROS =
            Limiters.PREFETCH.time().multipliedBy(5).dividedBy(4).toNanos() / 1000;

    private final Experiment experiment;
    private final Scene scene;
    private final Accounts accounts;
    private final Timed timed;
    private final BiConsumer<Measure, String> violations;
    private long adjusted;

    OutageJudge(
            Experiment experiment,
            Scene scene,
            Accounts accounts,
            Timed timed,
            BiConsumer<Measure, String> violations) {
        this.experiment = experiment;
        this.scene = scene;
        this.accounts = accounts;
        this.timed = timed;
        this.violations = violations;
    }

    /** The recovery without what the machine took; -1 if there was none. */
    long adjustedRecovery() {
        return adjusted;
    }

    /** When Redis decided again for the last JVM, in microseconds after the fault; empty if it did not. */
    OptionalLong judge() {
        checkFailsFast();
        checkLocal();
        return recovery();
    }

    /** An outage costs a call microseconds and not the decision timeout, once the circuit breaker is open. */
    private void checkFailsFast() {
        long[] took = accounts.all().stream()
                .filter(entry -> switch (entry.answer()) {
                    case LOCAL, POLICY, AMBIGUOUS, NOT_EXECUTED -> true;
                    default -> false;
                })
                // Those wait for permits, and not for Redis.
                .filter(entry -> entry.limiter() != Limiters.WAITED)
                .filter(entry -> entry.callMicros() > scene.faultMicros() + 1_000_000
                        && entry.callMicros() < scene.healedMicros())
                .mapToLong(Entry::tookMicros)
                .sorted()
                .toArray();
        long median = Result.Latency.of(took).p50Micros();
        timed.check(
                Measure.FAILS_FAST,
                took.length < 100 || median <= SLOW_MICROS,
                () -> median * (1 - timed.taken(scene.faultMicros(), scene.healedMicros())) <= SLOW_MICROS,
                () -> "half of the calls without Redis took more than " + median / 1000 + " ms",
                scene.faultMicros(),
                scene.healedMicros());
    }

    /** The JVMs that call until the end. */
    private Stream<List<Entry>> lasting() {
        List<List<Entry>> lasting = new ArrayList<>(accounts.ofEach());
        lasting.removeIf(account -> account.stream()
                .noneMatch(entry -> entry.answer() == Answer.CONTROL
                        && entry.callMicros() > scene.healedMicros() + Experiment.AFTER.toNanos() / 2000));
        lasting.removeIf(account -> account.stream().anyMatch(entry -> entry.answer() == Answer.CLOSING));
        return lasting.stream();
    }

    /** Of the last JVM. Nearly all is decided by prefetched permits where there are some: later ones are of a call since then. */
    private OptionalLong recovery() {
        long healed = scene.healedMicros();
        long most = experiment.expected().recovery().toMillis() * 1000;
        long latest = 0;
        for (List<Entry> account : lasting().toList()) {
            OptionalLong first = account.stream()
                    .filter(entry -> entry.returnMicros() > healed && scene.isAffected(entry))
                    .filter(entry -> entry.answer() == Answer.REDIS
                            || entry.answer() == Answer.PREFETCH && entry.callMicros() > healed + USABLE_MICROS)
                    .mapToLong(Entry::returnMicros)
                    .min();
            if (first.isEmpty()) {
                timed.checkAtAll(
                        Measure.RECOVERY,
                        "Redis did not decide again for all JVMs within " + Experiment.AFTER.toSeconds() + " s",
                        healed,
                        healed + Experiment.AFTER.toNanos() / 1000);
                adjusted = -1;
                return first;
            }
            long took = first.getAsLong() - healed;
            long machine = accounts.machineTook(healed, first.getAsLong());
            timed.check(
                    Measure.RECOVERY,
                    took <= most,
                    () -> took - machine <= most,
                    () -> String.format(
                            Locale.ROOT,
                            "Redis decided again %,d ms after the fault, of which the machine took %,d ms",
                            took / 1000,
                            machine / 1000),
                    healed,
                    first.getAsLong());
            if (took - machine > adjusted) {
                adjusted = took - machine;
            }
            latest = Math.max(latest, took);
        }
        return OptionalLong.of(latest);
    }

    /**
     * Where the fault concerns some keys, of the others. By time: callers that wait for no network decide more often, so by count
     * a moment without Redis would weigh as much as seconds with it.
     */
    private void checkLocal() {
        double share = accounts.ofEach().stream()
                .mapToDouble(this::localShare)
                .filter(each -> each >= 0)
                .average()
                .orElse(0);
        double most = experiment.expected().localShare();
        timed.check(
                Measure.SOURCE,
                share <= most,
                () -> share <= most + timed.taken(scene.faultMicros(), untilMicros()),
                () -> String.format(
                        Locale.ROOT,
                        "for %.2f %% of the time, Redis did not make the decisions that it could make",
                        100.0 * share),
                scene.faultMicros(),
                untilMicros());
    }

    /** The share of a JVM: the average of the shares in slices of time; -1 if it made no such decision. */
    private double localShare(List<Entry> account) {
        Map<Long, List<Entry>> slices = account.stream()
                .filter(entry -> entry.answer().isDecision() && (!scene.affectsSome() || !scene.isAffected(entry)))
                .filter(entry -> entry.callMicros() >= scene.faultMicros() && entry.callMicros() < untilMicros())
                .collect(Collectors.groupingBy(entry -> entry.callMicros() / SLICE_MICROS));
        return slices.values().stream()
                .mapToDouble(slice -> slice.stream()
                                .filter(entry -> !isOfRedis(entry.answer()))
                                .count()
                        / (double) slice.size())
                .average()
                .orElse(-1);
    }

    private static boolean isOfRedis(Answer answer) {
        return answer == Answer.REDIS || answer == Answer.REJECTION_CACHE || answer == Answer.PREFETCH;
    }

    /** Decisions by who made them, from the fault to its end. */
    Map<Answer, Long> sources() {
        return accounts.all().stream()
                .filter(entry -> entry.answer().isDecision())
                .filter(entry -> entry.callMicros() >= scene.faultMicros() && entry.callMicros() < untilMicros())
                .collect(
                        Collectors.groupingBy(Entry::answer, () -> new EnumMap<>(Answer.class), Collectors.counting()));
    }

    /** A fault of a moment shows afterwards. */
    private long untilMicros() {
        return Math.max(scene.healedMicros(), scene.faultMicros() + 1_000_000);
    }
}
