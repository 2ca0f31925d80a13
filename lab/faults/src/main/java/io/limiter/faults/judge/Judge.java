package io.limiter.faults.judge;

import io.limiter.Limiter;
import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Conservation;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Excess;
import io.limiter.faults.account.Held;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.experiment.Observer;
import io.limiter.faults.experiment.Scene;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.RedisConsole;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What must hold in every experiment:
 *
 * <ul>
 *   <li>what Redis granted stays within {@code capacity + rate * d}, over all JVMs together and in every interval,
 *   <li>what one JVM granted alone stays within its share of the same, and all together within the sum of shares and Redis's;
 *       under the policy {@code owner}, the sum for a key is the share of one JVM, which is 1,
 *   <li>a caller that waits has its permits no earlier than they come due,
 *   <li>{@code granted <= taken in Redis <= granted + ambiguous}: nothing was executed twice, or after it was withdrawn,
 *   <li>a permit that is refunded can be taken once more, and without state {@code allow} grants all and {@code deny} nothing,
 *   <li>no call is rejected while there are permits,
 *   <li>of a limiter that rejects, most of what it may grant is granted,
 *   <li>no more leases are held at once than there may be, none is lost, and once closed it is free,
 *   <li>of calls with a key of their own, each was executed as often as its caller knows,
 *   <li>a key that is rejected too often is granted nothing while it is banned, and something once the ban is over,
 *   <li>a call returns, unless its JVM is killed,
 *   <li>a JVM alone grants most of its share, and the owner of a key most of the limit,
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

    private final Scene scene;
    private final Experiment experiment;
    private final Accounts accounts;
    private final List<Entry> all;
    private final List<Violation> violations;
    private final long startMicros;
    private double excess;
    private double beyondPromise;

    private Judge(Experiment experiment, Scene scene) throws IOException {
        this.experiment = experiment;
        this.scene = scene;
        List<List<Entry>> ofEach = new ArrayList<>();
        for (MemberProcess member : scene.members()) {
            ofEach.add(member.account());
        }
        this.accounts = new Accounts(ofEach, scene.neighbours());
        this.all = accounts.all();
        this.startMicros = all.stream().mapToLong(Entry::callMicros).min().orElseGet(AccountFile::nowMicros);
        this.violations = new ArrayList<>(scene.violations());
    }

    /** @param runsNotJudged how many runs before this one could not be judged */
    static Result judge(Experiment experiment, Scene scene, long seed, int runsNotJudged) throws IOException {
        return new Judge(experiment, scene).result(seed, runsNotJudged);
    }

    private Result result(long seed, int runsNotJudged) throws IOException {
        List<String> notJudged = new ArrayList<>();
        Timed timed = new Timed(accounts, this::violation, notJudged::add);
        ShortfallJudge shortfall = new ShortfallJudge(experiment, scene, accounts, timed);
        for (Limiters limiter : Limiters.values()) {
            checkPolicy(limiter);
            if (limiter.isRefunded()) {
                checkRefunded(limiter);
            } else if (!limiter.hasAlwaysPermits() && limiter != Limiters.LEASED) {
                checkExcess(limiter);
                shortfall.judge(limiter);
            }
        }
        Conservation conservation = conservation();
        long wronglyRejected = wronglyRejected();
        long mostLeases = new LeaseJudge(experiment, scene, accounts, timed, this::violation).judge();
        new EndJudge(scene, accounts, this::violation).judge();
        new OnceJudge(experiment, scene, accounts, this::violation).judge();
        OutageJudge outage = new OutageJudge(experiment, scene, accounts, timed, this::violation);
        OptionalLong recovery = outage.judge();
        checkExpiry();
        checkClosed();
        checkWarnings();
        long errors =
                all.stream().filter(entry -> entry.answer() == Answer.ERROR).count();
        if (errors > 0) {
            violation(Measure.ERRORS, errors + " calls threw what they do not document");
        }
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
                outage.sources(),
                latency(Answer::isDecision),
                latency(answer -> answer == Answer.CONTROL),
                recovery,
                outage.adjustedRecovery(),
                mostLeases,
                lines,
                scene.notes(),
                List.copyOf(violations),
                null,
                notJudged.isEmpty() ? null : notJudged.get(0),
                runsNotJudged + (notJudged.isEmpty() ? 0 : 1));
    }

    private void violation(Measure measure, String text) {
        violations.add(new Violation(measure, text));
    }

    private void checkExcess(Limiters limiter) {
        Experiment.Expected expected = experiment.expected();
        double capacity = limiter.capacity();
        double rate = limiter.rate();
        double forgotten = Math.min(capacity, rate * expected.forgotten().toMillis() / 1000);
        double prefetched =
                limiter.isPrefetched() ? rate * Limiters.PREFETCH.time().toMillis() / 1000 : 0;
        double extra = expected.statesLost() * capacity + forgotten + expected.extraPermits() + prefetched;
        int primaries = expected.primaries();
        // Before, a JVM alone may have counted those only that were there.
        long sinceMicros = experiment.counted() > 1 ? scene.faultMicros() : 0;
        Predicate<Entry> judged = entry ->
                entry.limiter() == limiter && (entry.answer() != Answer.LOCAL || entry.callMicros() >= sinceMicros);
        // Once for a million keys, because it looks at all calls.
        long atOnce = accounts.atOnce();
        List<Double> shares = new ArrayList<>();
        List<Map<Integer, List<Entry>>> local = new ArrayList<>();
        for (List<Entry> account : accounts.ofEach()) {
            shares.add(Shares.of(limiter, account, experiment, scene));
            local.add(Accounts.grantedByKey(account, entry -> judged.test(entry) && entry.answer() == Answer.LOCAL));
        }
        Accounts.grantedByKey(all, judged).forEach((key, granted) -> {
            within(
                    Excess.of(
                            capacity * primaries + extra,
                            rate * primaries,
                            Accounts.of(granted, entry -> entry.answer().isOfRedis())),
                    "Redis",
                    limiter,
                    key);
            List<Double> alone = new ArrayList<>();
            for (int i = 0; i < local.size(); i++) {
                List<Entry> own = local.get(i).getOrDefault(key, List.of());
                double share = shares.get(i);
                if (!own.isEmpty()) {
                    alone.add(share);
                }
                within(Excess.of(capacity * share, rate * share, own), "a JVM alone", limiter, key);
            }
            // Those that have replaced others have a capacity of their own, but not at the same time.
            double ofAll = Shares.sum(limiter, alone, alone.size());
            double ofAllAtOnce = Shares.sum(limiter, alone, atOnce);
            within(
                    Excess.of(
                            capacity * ofAll,
                            rate * ofAllAtOnce,
                            Accounts.of(granted, entry -> entry.answer() == Answer.LOCAL)),
                    "all JVMs alone",
                    limiter,
                    key);
            double most = capacity * (primaries + ofAll) + extra;
            double mostPerSecond = rate * (primaries + ofAllAtOnce);
            List<Entry> promised = Accounts.of(granted, entry -> entry.answer() != Answer.POLICY);
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
                    case DENY, OWNER -> entry.granted();
                    case LOCAL, THROW -> true;
                })
                .count();
        if (wrong > 0) {
            violation(Measure.POLICY, wrong + " calls of " + limiter + " were not decided as its failure policy says");
        }
    }

    /** The permits that callers have in the end, if each refund has returned them: once to Redis, or once to a JVM alone. */
    private void checkRefunded(Limiters limiter) {
        List<Entry> calls =
                Accounts.of(all, entry -> entry.limiter() == limiter && (entry.granted() || entry.permits() < 0));
        long alone = accounts.ofEach().stream()
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
                List<Entry> calls = Accounts.of(
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
        // Of each key a part of a permit, what killed JVMs held, and what replies said that were lost.
        long most = limiter.keys();
        for (int i = 0; limiter.isPrefetched() && i < accounts.ofEach().size(); i++) {
            List<Entry> account = accounts.ofEach().get(i);
            long lost = account.stream()
                    .filter(entry -> entry.limiter() == limiter && entry.answer() == Answer.AMBIGUOUS)
                    .count();
            most += Held.most(limiter, account)
                    * (lost + (scene.members().get(i).wasKilled() ? 1 : 0));
        }
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

    /** Each window warns once, whichever JVM it warns. */
    private void checkWarnings() {
        if (!experiment.calls(Limiters.WARNED)) {
            return;
        }
        Map<Long, Long> warnings = all.stream()
                .filter(entry -> entry.answer() == Answer.WARNING)
                .collect(Collectors.groupingBy(Entry::callMicros, Collectors.counting()));
        long again = warnings.values().stream().filter(count -> count > 1).count();
        scene.note(warnings.size() + " windows have warned");
        if (warnings.isEmpty() || again > 0) {
            violation(Measure.WARNINGS, again + " of " + warnings.size() + " windows have warned more than once");
        }
    }

    private void checkClosed() {
        for (List<Entry> account : accounts.ofEach()) {
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

    private Result.Latency latency(Predicate<Answer> which) {
        return Result.Latency.of(all.stream()
                .filter(entry -> which.test(entry.answer()) && entry.callMicros() >= scene.faultMicros())
                .mapToLong(Entry::tookMicros)
                .sorted()
                .toArray());
    }
}
