package io.limiter.faults.experiment;

import io.limiter.Limiter;
import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Excess;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.account.Overlap;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.RedisConsole;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What must hold in every experiment:
 *
 * <ul>
 *   <li>what Redis granted stays within {@code capacity + rate * d}, over all JVMs together and in every interval,
 *   <li>what one JVM granted alone stays within the same, so that all together stay within that times one plus their number,
 *   <li>{@code granted <= taken in Redis <= granted + ambiguous}: nothing was executed twice, or after it was withdrawn,
 *   <li>a permit that is refunded can be taken once more, and without state {@code allow} grants all and {@code deny} nothing,
 *   <li>no call is rejected while there are permits,
 *   <li>of a limiter that rejects, most of what it may grant is granted,
 *   <li>no more leases are held at once than there may be, none is lost, and once closed it is free,
 *   <li>every key in Redis expires,
 *   <li>while Redis does not decide, half of the calls return within half of the decision timeout,
 *   <li>nothing is granted once the factory was closed, and no call throws what it does not document,
 *   <li>and Redis decides again, for every JVM, a second after the fault at the latest.
 * </ul>
 *
 * An experiment says what its fault may change of that ({@link Experiment.Expected}).
 */
final class Judge {

    /** Off by one is a whole permit. A machine's clock that is adjusted while an experiment runs moves less than this. */
    private static final double TOLERANCE = 0.5;

    /** Of what a limiter is refilled by, as it may be called too seldom for a moment. */
    private static final double LEAST_SHARE = 0.8;

    private static final int FEWEST_LEASES_PER_SECOND = 10;

    /** The longest pause that counts for the decision timeout. */
    private static final long PAUSE_MICROS = 25_000;

    /** Longer than Redis takes for a decision. */
    private static final long SLICE_MICROS = 100_000;

    /** Half of the decision timeout. */
    private static final long SLOW_MICROS = 50_000;

    private final Scene scene;
    private final Experiment experiment;
    private final List<List<Entry>> accounts = new ArrayList<>();
    private final List<Entry> all = new ArrayList<>();
    private final List<Violation> violations = new ArrayList<>();
    private final long atOnce;
    private final long startMicros;
    private double excess;
    private double beyondPromise;

    private Judge(Experiment experiment, Scene scene) throws IOException {
        this.experiment = experiment;
        this.scene = scene;
        for (MemberProcess member : scene.members()) {
            List<Entry> account = member.account();
            accounts.add(account);
            all.addAll(account);
        }
        this.atOnce = atOnce(accounts);
        this.startMicros = all.stream().mapToLong(Entry::callMicros).min().orElseGet(AccountFile::nowMicros);
        this.violations.addAll(scene.violations());
    }

    static Result judge(Experiment experiment, Scene scene, long seed) throws IOException {
        return new Judge(experiment, scene).result(seed);
    }

    private Result result(long seed) throws IOException {
        for (Limiters limiter : Limiters.values()) {
            checkPolicy(limiter);
            if (limiter.isRefunded()) {
                checkRefunded(limiter);
            } else if (!limiter.hasAlwaysPermits() && limiter != Limiters.LEASED) {
                checkExcess(limiter);
                checkShortfall(limiter);
            }
        }
        Conservation conservation = conservation();
        long wronglyRejected = wronglyRejected();
        List<Entry> leases = of(all, entry -> entry.answer() == Answer.LEASE);
        long mostLeases = Overlap.of(leases);
        if (mostLeases > Limiters.LEASES.capacity()) {
            violation(Measure.LEASES, mostLeases + " leases were held at once, of " + Limiters.LEASES.capacity());
        }
        checkLeases(leases);
        checkExpiry();
        checkFailsFast();
        checkClosed();
        long errors =
                all.stream().filter(entry -> entry.answer() == Answer.ERROR).count();
        if (errors > 0) {
            violation(Measure.ERRORS, errors + " calls threw what they do not document");
        }
        OptionalLong recovery = recovery();
        checkLocal();
        long lines = 0;
        for (MemberProcess member : scene.members()) {
            lines += member.linesLogged();
        }
        return new Result(
                experiment,
                seed,
                excess,
                beyondPromise,
                conservation,
                wronglyRejected,
                sources(),
                latency(Answer::isDecision),
                latency(answer -> answer == Answer.CONTROL),
                recovery,
                mostLeases,
                lines,
                scene.notes(),
                List.copyOf(violations),
                null);
    }

    private void violation(Measure measure, String text) {
        violations.add(new Violation(measure, text));
    }

    private static List<Entry> of(Collection<Entry> entries, Predicate<Entry> which) {
        return entries.stream().filter(which).toList();
    }

    private void checkExcess(Limiters limiter) {
        Experiment.Expected expected = experiment.expected();
        double capacity = limiter.capacity();
        double rate = limiter.rate();
        double forgotten = Math.min(capacity, rate * expected.forgotten().toMillis() / 1000);
        double prefetched = limiter.prefetch() * (double) accounts.size();
        double extra = expected.statesLost() * capacity + forgotten + expected.extraPermits() + prefetched;
        int primaries = expected.primaries();
        double share = limiter.policy().share().orElse(1);
        List<Map<Integer, List<Entry>>> local = new ArrayList<>();
        for (List<Entry> account : accounts) {
            local.add(byKey(account, entry -> entry.limiter() == limiter && entry.answer() == Answer.LOCAL));
        }
        byKey(all, entry -> entry.limiter() == limiter).forEach((key, granted) -> {
            within(
                    Excess.of(
                            capacity * primaries + extra,
                            rate * primaries,
                            of(granted, entry -> entry.answer().isOfRedis())),
                    "Redis",
                    limiter,
                    key);
            int alone = 0;
            for (Map<Integer, List<Entry>> account : local) {
                List<Entry> own = account.getOrDefault(key, List.of());
                alone += own.isEmpty() ? 0 : 1;
                within(Excess.of(capacity * share, rate * share, own), "a JVM alone", limiter, key);
            }
            // Those that have replaced others have a capacity of their own, but not at the same time.
            double most = capacity * (primaries + alone * share) + extra;
            double mostPerSecond = rate * (primaries + Math.min(alone, atOnce) * share);
            List<Entry> promised = of(granted, entry -> entry.answer() != Answer.POLICY);
            within(Excess.of(most, mostPerSecond, promised), "all together", limiter, key);
            excess = Math.max(excess, Excess.of(capacity, rate, granted));
        });
    }

    /** When Redis decides again, a limiter that is called often enough grants most of what it is refilled by. */
    private void checkShortfall(Limiters limiter) {
        long from = scene.healedMicros() + experiment.expected().recovery().toMillis() * 1000;
        long to = all.stream()
                .filter(entry -> entry.answer().isDecision())
                .mapToLong(Entry::callMicros)
                .max()
                .orElse(0);
        if (!limiter.isOverloaded()
                || to - from < 1_000_000
                || experiment.expected().freezes()) {
            return;
        }
        of(all, entry -> entry.limiter() == limiter && entry.answer().isDecision() && entry.callMicros() >= from)
                .stream()
                .collect(Collectors.groupingBy(Entry::key))
                .forEach((key, calls) -> {
                    long granted = calls.stream()
                            .filter(Entry::granted)
                            .mapToLong(Entry::permits)
                            .sum();
                    long wanted = calls.stream().mapToLong(Entry::permits).sum();
                    double possible = Math.min(wanted, limiter.rate() * (to - from) / 1e6);
                    if (granted < LEAST_SHARE * possible - 1) {
                        violation(
                                Measure.SHORTFALL,
                                String.format(
                                        Locale.ROOT,
                                        "%d permits of %s, key %d, were granted where %.0f were possible",
                                        granted,
                                        limiter,
                                        key,
                                        possible));
                    }
                });
    }

    /** Without state a policy grants all, or nothing; a refund is lost under some more. */
    private void checkPolicy(Limiters limiter) {
        long wrong = all.stream()
                .filter(entry -> entry.limiter() == limiter && entry.answer() == Answer.POLICY && entry.permits() > 0)
                .filter(entry -> switch (limiter.policy().action()) {
                    case ALLOW -> !entry.granted();
                    case DENY -> entry.granted();
                    case LOCAL, THROW -> true;
                })
                .count();
        if (wrong > 0) {
            violation(Measure.POLICY, wrong + " calls of " + limiter + " were not decided as its failure policy says");
        }
    }

    /** The permits that callers have in the end, if each refund has returned them: once to Redis, or once to a JVM alone. */
    private void checkRefunded(Limiters limiter) {
        List<Entry> calls = of(all, entry -> entry.limiter() == limiter && (entry.granted() || entry.permits() < 0));
        long alone = accounts.stream()
                .filter(account -> account.stream()
                        .anyMatch(entry -> entry.limiter() == limiter && entry.answer() == Answer.LOCAL))
                .count();
        long had = calls.stream().mapToLong(Entry::permits).sum();
        Experiment.Expected expected = experiment.expected();
        double states = expected.primaries() + expected.statesLost() + alone;
        double beyond = had - states * (limiter.capacity() + refilled(limiter) + 1);
        within(beyond, "all together", limiter, 0);
        excess = Math.max(excess, had - limiter.capacity());
    }

    private static Map<Integer, List<Entry>> byKey(Collection<Entry> entries, Predicate<Entry> which) {
        return entries.stream()
                .filter(entry -> entry.granted() && which.test(entry))
                .collect(Collectors.groupingBy(Entry::key));
    }

    /** The most JVMs that called at the same time. */
    private static long atOnce(Collection<List<Entry>> accounts) {
        return Overlap.of(accounts.stream()
                .filter(account -> !account.isEmpty())
                .map(account -> new Entry(
                        account.stream().mapToLong(Entry::callMicros).min().orElseThrow(),
                        account.stream()
                                .mapToLong(entry -> Math.max(entry.callMicros(), entry.returnMicros()))
                                .max()
                                .orElseThrow(),
                        Limiters.ROOMY,
                        0,
                        1,
                        Answer.CONTROL,
                        false))
                .toList());
    }

    private void within(double beyond, String who, Limiters limiter, int key) {
        beyondPromise = Math.max(beyondPromise, beyond);
        if (beyond > TOLERANCE) {
            violation(
                    Measure.EXCESS,
                    String.format(
                            Locale.ROOT,
                            "%s granted %.1f more than promised of %s, key %d",
                            who,
                            beyond,
                            limiter,
                            key));
        }
    }

    private Conservation conservation() {
        Conservation sum = new Conservation(0, 0, 0, 0);
        try (Observer observer = new Observer(scene.endpoint())) {
            for (Limiters limiter : Limiters.values()) {
                List<Entry> calls = of(
                        all,
                        entry -> entry.limiter() == limiter
                                && entry.answer() != Answer.CONTROL
                                && entry.answer() != Answer.CLOSING);
                if (limiter.isCounted() && !calls.isEmpty()) {
                    Conservation conservation = Conservation.of(taken(observer, limiter), calls);
                    checkConservation(limiter, conservation);
                    sum = sum.plus(conservation);
                }
            }
        }
        return sum;
    }

    private void checkConservation(Limiters limiter, Conservation conservation) {
        // Of each key a part of a permit, and what JVMs had prefetched when they were killed.
        long most = limiter.keys() + limiter.prefetch() * (long) accounts.size();
        if (conservation.takenTooOften() > most) {
            violation(
                    Measure.TAKEN,
                    conservation.takenTooOften() + " permits of " + limiter + " were taken that no caller has, at most "
                            + most + " may be");
        }
        double refilled = limiter.keys() * refilled(limiter);
        if (conservation.forgotten() > refilled && !experiment.expected().forgets()) {
            violation(
                    Measure.TAKEN,
                    String.format(
                            Locale.ROOT,
                            "%d granted permits of %s were not taken in Redis, at most %.1f were refilled",
                            conservation.forgotten(),
                            limiter,
                            refilled));
        }
    }

    /** The most permits that a key was refilled by. */
    private double refilled(Limiters limiter) {
        return limiter.rate() * (AccountFile.nowMicros() - startMicros) / 1e6;
    }

    /** What is missing in the buckets of a limiter, as Redis has them. */
    private static long taken(Observer observer, Limiters which) {
        Limiter limiter = observer.limiters().build(which.name().toLowerCase(Locale.ROOT), which.limit());
        long taken = 0;
        for (int key = 0; key < which.keys(); key++) {
            taken += which.limit().capacity()
                    - limiter.on(which.key(key)).peek(1).remaining();
        }
        return taken;
    }

    private long wronglyRejected() {
        long rejected = all.stream()
                .filter(entry -> entry.limiter().hasAlwaysPermits())
                .filter(entry -> entry.answer().isOfRedis() || entry.answer() == Answer.LOCAL)
                .filter(entry -> !entry.granted())
                .count();
        if (rejected > 0) {
            violation(Measure.WRONGLY_REJECTED, rejected + " calls were rejected although there were permits");
        }
        return rejected;
    }

    /** Where leases are closed after 175 ms on average, of 8 some 40 are granted in a second. */
    private void checkLeases(List<Entry> leases) {
        if (!experiment.calls(Limiters.LEASED)) {
            return;
        }
        if (!experiment.expected().losesLeases()) {
            long lost = leases.stream().filter(lease -> !lease.granted()).count();
            if (lost > 0) {
                violation(Measure.LEASES_LOST, lost + " leases were lost before they were closed");
            }
        }
        checkLeaseRate(leases, scene.faultMicros() - Experiment.BEFORE.toMillis() * 1000);
        // When those of the dead are free, and Redis decides again.
        checkLeaseRate(leases, scene.healedMicros() + 2_000_000);
    }

    private void checkLeaseRate(List<Entry> leases, long fromMicros) {
        long toMicros = fromMicros + 1_500_000;
        double seconds = (toMicros - fromMicros - machineTook(fromMicros, toMicros)) / 1e6;
        long granted = leases.stream()
                .filter(lease -> lease.callMicros() >= fromMicros && lease.callMicros() < toMicros)
                .count();
        if (granted < FEWEST_LEASES_PER_SECOND * seconds) {
            violation(
                    Measure.LEASE_RATE,
                    String.format(
                            Locale.ROOT,
                            "%.0f leases were granted in a second, of at least %d",
                            granted / seconds,
                            FEWEST_LEASES_PER_SECOND));
        }
    }

    /** A key that never expires would stay in Redis for ever. */
    private void checkExpiry() throws IOException {
        if (experiment.parts().servers() != Experiment.Servers.ONE) {
            return;
        }
        long lasting = 0;
        try (RedisConsole redis = new RedisConsole(scene.redis().port())) {
            for (String key : redis.command("KEYS", "*Limit:*").split("\n", -1)) {
                lasting += redis.command("PTTL", key).equals("-1") ? 1 : 0;
            }
        }
        if (lasting > 0) {
            violation(Measure.EXPIRY, lasting + " keys of limits have no expiry");
        }
    }

    /** An outage costs a call microseconds and not the decision timeout, once the circuit breaker is open. */
    private void checkFailsFast() {
        long[] took = all.stream()
                .filter(entry -> switch (entry.answer()) {
                    case LOCAL, POLICY, AMBIGUOUS, NOT_EXECUTED -> true;
                    default -> false;
                })
                .filter(entry -> entry.callMicros() > scene.faultMicros() + 1_000_000
                        && entry.callMicros() < scene.healedMicros())
                .mapToLong(Entry::tookMicros)
                .sorted()
                .toArray();
        long median = Result.Latency.of(took).p50Micros();
        if (took.length >= 100 && median > SLOW_MICROS) {
            violation(Measure.FAILS_FAST, "half of the calls without Redis took more than " + median / 1000 + " ms");
        }
    }

    private void checkClosed() {
        for (List<Entry> account : accounts) {
            long closed = account.stream()
                    .filter(entry -> entry.answer() == Answer.CLOSING)
                    .mapToLong(Entry::returnMicros)
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
            long late = account.stream()
                    .filter(entry -> entry.answer().isDecision() && entry.granted() && entry.callMicros() > closed)
                    .count();
            if (late > 0) {
                violation(Measure.CLOSED, late + " calls were granted after the factory was closed");
            }
        }
    }

    /** The JVMs that call until the end. */
    private Stream<List<Entry>> lasting() {
        List<List<Entry>> lasting = new ArrayList<>(accounts);
        lasting.removeIf(account -> account.stream()
                .noneMatch(entry -> entry.answer() == Answer.CONTROL
                        && entry.callMicros() > scene.healedMicros() + Experiment.AFTER.toNanos() / 2000));
        lasting.removeIf(account -> account.stream().anyMatch(entry -> entry.answer() == Answer.CLOSING));
        return lasting.stream();
    }

    /** Of the last JVM. */
    private OptionalLong recovery() {
        long healed = scene.healedMicros();
        long most = experiment.expected().recovery().toMillis() * 1000;
        long latest = 0;
        for (List<Entry> account : lasting().toList()) {
            OptionalLong first = account.stream()
                    .filter(entry ->
                            entry.answer() == Answer.REDIS && entry.returnMicros() > healed && scene.isAffected(entry))
                    .mapToLong(Entry::returnMicros)
                    .min();
            if (first.isEmpty()) {
                violation(
                        Measure.RECOVERY,
                        "Redis did not decide again for all JVMs within " + Experiment.AFTER.toSeconds() + " s");
                return first;
            }
            long took = first.getAsLong() - healed;
            long machine = machineTook(healed, first.getAsLong());
            if (took - machine > most) {
                violation(
                        Measure.RECOVERY,
                        String.format(
                                Locale.ROOT,
                                "Redis decided again %,d ms after the fault, of which the machine took %,d ms",
                                took / 1000,
                                machine / 1000));
            }
            latest = Math.max(latest, took);
        }
        return OptionalLong.of(latest);
    }

    /**
     * For how long the machine had no processor for threads that only park, in microseconds. What it takes, it takes from all
     * JVMs; one that is paused alone has no excuse. Shorter pauses are what the limiter must bear.
     */
    private long machineTook(long fromMicros, long toMicros) {
        return accounts.stream()
                .map(account -> of(account, entry -> entry.answer() == Answer.CONTROL))
                // Not of one that was started or killed meanwhile.
                .filter(parks -> parks.stream().anyMatch(park -> park.callMicros() <= fromMicros)
                        && parks.stream().anyMatch(park -> park.returnMicros() >= toMicros))
                .mapToLong(parks -> parks.stream()
                        .filter(park -> park.tookMicros() > PAUSE_MICROS)
                        .mapToLong(park -> Math.max(
                                0, Math.min(park.returnMicros(), toMicros) - Math.max(park.callMicros(), fromMicros)))
                        .sum())
                .min()
                .orElse(0);
    }

    private Map<Answer, Long> sources() {
        return all.stream()
                .filter(entry -> entry.answer().isDecision())
                .filter(entry -> entry.callMicros() >= scene.faultMicros() && entry.callMicros() < untilMicros())
                .collect(
                        Collectors.groupingBy(Entry::answer, () -> new EnumMap<>(Answer.class), Collectors.counting()));
    }

    /** A fault of a moment shows afterwards. */
    private long untilMicros() {
        return Math.max(scene.healedMicros(), scene.faultMicros() + 1_000_000);
    }

    /**
     * Where the fault concerns some keys, of the others. By time: callers that wait for no network decide more often, so by count
     * a moment without Redis would weigh as much as seconds with it.
     */
    private void checkLocal() {
        double share = accounts.stream()
                .mapToDouble(this::localShare)
                .filter(each -> each >= 0)
                .average()
                .orElse(0);
        double machine =
                machineTook(scene.faultMicros(), untilMicros()) / (double) (untilMicros() - scene.faultMicros());
        if (share > experiment.expected().localShare() + machine) {
            violation(
                    Measure.SOURCE,
                    String.format(
                            Locale.ROOT,
                            "for %.2f %% of the time, Redis did not make the decisions that it could make",
                            100.0 * share));
        }
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

    private Result.Latency latency(Predicate<Answer> which) {
        return Result.Latency.of(all.stream()
                .filter(entry -> which.test(entry.answer()) && entry.callMicros() >= scene.faultMicros())
                .mapToLong(Entry::tookMicros)
                .sorted()
                .toArray());
    }
}
