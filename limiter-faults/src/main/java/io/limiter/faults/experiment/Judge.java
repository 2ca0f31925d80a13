package io.limiter.faults.experiment;

import io.limiter.Limiter;
import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Excess;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.account.Overlap;
import io.limiter.faults.process.MemberProcess;
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
 *   <li>no more leases are held at once than there may be,
 *   <li>nothing is granted once the factory was closed, and no call throws what it does not document,
 *   <li>and Redis decides again, for every JVM, a second after the fault at the latest.
 * </ul>
 *
 * An experiment says what its fault may change of that ({@link Experiment.Expected}).
 */
final class Judge {

    /** Off by one is a whole permit. A machine's clock that is adjusted while an experiment runs moves less than this. */
    private static final double TOLERANCE = 0.5;

    private final Scene scene;
    private final Experiment experiment;
    private final List<List<Entry>> accounts = new ArrayList<>();
    private final List<Entry> all = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
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
            }
        }
        Conservation conservation = conservation();
        long wronglyRejected = wronglyRejected();
        long mostLeases = Overlap.of(of(all, entry -> entry.answer() == Answer.LEASE));
        if (mostLeases > Limiters.LEASES.capacity()) {
            violations.add(mostLeases + " leases were held at once, of " + Limiters.LEASES.capacity());
        }
        checkClosed();
        long errors =
                all.stream().filter(entry -> entry.answer() == Answer.ERROR).count();
        if (errors > 0) {
            violations.add(errors + " calls threw what they do not document");
        }
        OptionalLong recovery = recovery();
        checkRecovery(recovery);
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
                sources(entry -> true),
                latency(Answer::isDecision),
                latency(answer -> answer == Answer.CONTROL),
                recovery,
                mostLeases,
                lines,
                scene.notes(),
                List.copyOf(violations),
                null);
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
        double share = limiter.policy().share();
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
            violations.add(wrong + " calls of " + limiter + " were not decided as its failure policy says");
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
        double beyond = had - states * (limiter.capacity() + refilled(limiter));
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
            violations.add(String.format(
                    Locale.ROOT, "%s granted %.1f more than promised of %s, key %d", who, beyond, limiter, key));
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
        // Of each key a part of a permit.
        if (conservation.takenTooOften() > limiter.keys()) {
            violations.add(conservation.takenTooOften() + " permits of " + limiter + " were taken that no caller has");
        }
        if (conservation.forgotten() > limiter.keys() * refilled(limiter)
                && !experiment.expected().forgets()) {
            violations.add(conservation.forgotten() + " granted permits of " + limiter + " were not taken in Redis");
        }
    }

    /** The most permits that a key was refilled by, and a part of one. */
    private double refilled(Limiters limiter) {
        return limiter.rate() * (AccountFile.nowMicros() - startMicros) / 1e6 + 1;
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
            violations.add(rejected + " calls were rejected although there were permits");
        }
        return rejected;
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
                violations.add(late + " calls were granted after the factory was closed");
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

    private OptionalLong recovery() {
        long healed = scene.healedMicros();
        long latest = 0;
        for (List<Entry> account : lasting().toList()) {
            OptionalLong first = account.stream()
                    .filter(entry ->
                            entry.answer() == Answer.REDIS && entry.returnMicros() > healed && scene.isAffected(entry))
                    .mapToLong(Entry::returnMicros)
                    .min();
            if (first.isEmpty()) {
                return first;
            }
            latest = Math.max(latest, first.getAsLong() - healed);
        }
        return OptionalLong.of(latest);
    }

    private void checkRecovery(OptionalLong recovery) {
        long most = experiment.expected().recovery().toMillis();
        if (recovery.isEmpty()) {
            violations.add("Redis did not decide again for all JVMs within " + Experiment.AFTER.toSeconds() + " s");
        } else if (recovery.getAsLong() > most * 1000) {
            violations.add(String.format(
                    Locale.ROOT, "Redis decided again %,d ms after the fault", recovery.getAsLong() / 1000));
        }
    }

    private Map<Answer, Long> sources(Predicate<Entry> which) {
        return all.stream()
                .filter(entry -> entry.answer().isDecision() && which.test(entry))
                .filter(entry -> entry.callMicros() >= scene.faultMicros() && entry.callMicros() < untilMicros())
                .collect(
                        Collectors.groupingBy(Entry::answer, () -> new EnumMap<>(Answer.class), Collectors.counting()));
    }

    /** A fault of a moment shows afterwards. */
    private long untilMicros() {
        return Math.max(scene.healedMicros(), scene.faultMicros() + 1_000_000);
    }

    /** Where the fault concerns some keys, of the others. */
    private void checkLocal() {
        Map<Answer, Long> sources = sources(entry -> !scene.affectsSome() || !scene.isAffected(entry));
        long decisions = sources.values().stream().mapToLong(Long::longValue).sum();
        long local = decisions
                - sources.getOrDefault(Answer.REDIS, 0L)
                - sources.getOrDefault(Answer.REJECTION_CACHE, 0L)
                - sources.getOrDefault(Answer.PREFETCH, 0L);
        if (local > experiment.expected().localShare() * decisions) {
            violations.add(String.format(
                    Locale.ROOT,
                    "%.1f %% of the decisions that Redis could make were not made by Redis",
                    100.0 * local / decisions));
        }
    }

    private Result.Latency latency(Predicate<Answer> which) {
        return Result.Latency.of(all.stream()
                .filter(entry -> which.test(entry.answer()) && entry.callMicros() >= scene.faultMicros())
                .mapToLong(Entry::tookMicros)
                .sorted()
                .toArray());
    }
}
