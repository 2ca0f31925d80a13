package io.limiter.faults.judge;

import io.limiter.faults.account.Accounts;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Scene;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Judges what must end, and not before its time: a ban, of which nothing is granted until it is over and something afterwards, and a
 * call, which returns.
 */
final class EndJudge {

    /** A rejection is counted after its caller has it. */
    private static final long COUNTING_MICROS = 250_000;

    /** More than ban a key, because a rejection may not be counted if Redis fails just then. */
    private static final int ENOUGH = 3 * Limiters.BAN.after();

    /** How much longer than a ban nothing may be granted, and how many calls show that more was wanted. */
    private static final long SLACK_MICROS = 1_000_000;

    private static final int WANTED = 50;

    private final Scene scene;
    private final Accounts accounts;
    private final BiConsumer<Measure, String> violations;

    EndJudge(Scene scene, Accounts accounts, BiConsumer<Measure, String> violations) {
        this.scene = scene;
        this.accounts = accounts;
        this.violations = violations;
    }

    void judge() {
        checkReturned();
        checkBansEnd();
        checkBansHold();
    }

    /** A call that has not returned when its JVM is ended never will. */
    private void checkReturned() {
        long never = 0;
        for (int i = 0; i < accounts.ofEach().size(); i++) {
            if (!scene.members().get(i).wasKilled()) {
                never += accounts.ofEach().get(i).stream()
                        .filter(entry -> entry.answer() == Answer.PENDING)
                        .count();
            }
        }
        if (never > 0) {
            violations.accept(Measure.ENDS, never + " calls have not returned");
        }
    }

    /** A key that is called all the time is granted something after each ban. */
    private void checkBansEnd() {
        accounts.all().stream()
                .filter(entry ->
                        entry.limiter() == Limiters.BANNING && entry.answer().isDecision())
                .collect(Collectors.groupingBy(Entry::key))
                .forEach((key, calls) -> checkBansEnd(
                        key,
                        calls.stream()
                                .sorted(Comparator.comparingLong(Entry::callMicros))
                                .toList()));
    }

    private void checkBansEnd(int key, List<Entry> calls) {
        long since = calls.get(0).callMicros();
        int rejected = 0;
        for (int i = 0; i < calls.size(); i++) {
            Entry call = calls.get(i);
            rejected += call.granted() ? 0 : 1;
            if (call.granted() || i == calls.size() - 1) {
                long took = call.callMicros() - since;
                long most = Limiters.BAN.lastingMicros() + SLACK_MICROS;
                // What the machine took costs a look at all calls.
                if (rejected >= WANTED && took > most && took - accounts.machineTook(since, call.callMicros()) > most) {
                    violations.accept(
                            Measure.ENDS,
                            "nothing was granted of key " + key + " for " + took / 1000 + " ms, where a ban lasts "
                                    + Limiters.BAN.lastingMicros() / 1000 + " ms");
                    return;
                }
                since = call.callMicros();
                rejected = 0;
            }
        }
    }

    private void checkBansHold() {
        // A JVM alone knows only bans of its own.
        long late = Accounts.grantedByKey(
                        accounts.all(),
                        entry -> entry.limiter() == Limiters.BANNING
                                && entry.answer().isOfRedis())
                .entrySet()
                .stream()
                .mapToLong(granted -> late(granted.getValue(), bans(granted.getKey())))
                .sum();
        if (late > 0) {
            violations.accept(Measure.BANS, late + " calls were granted while their key was banned");
        }
    }

    /** From when to when a key is certainly banned: by rejections of one JVM that was not killed before it had counted them. */
    private List<Ban> bans(int key) {
        List<Ban> bans = new ArrayList<>();
        for (List<Entry> account : accounts.ofEach()) {
            if (account.stream().anyMatch(entry -> entry.callMicros() > scene.healedMicros())) {
                add(
                        account.stream()
                                .filter(entry -> entry.limiter() == Limiters.BANNING
                                        && entry.key() == key
                                        && entry.answer() == Answer.REDIS
                                        && !entry.granted())
                                .sorted(Comparator.comparingLong(Entry::returnMicros))
                                .toList(),
                        bans);
            }
        }
        return bans;
    }

    private static void add(List<Entry> rejections, List<Ban> bans) {
        for (int last = ENOUGH - 1; last < rejections.size(); last++) {
            List<Entry> counted = rejections.subList(last - ENOUGH + 1, last + 1);
            long from = counted.stream().mapToLong(Entry::callMicros).min().orElseThrow();
            long to = rejections.get(last).returnMicros();
            // Redis rejected them by the limit, so the ban has begun since the first was called.
            if (to - from < Limiters.BAN.withinMicros()) {
                bans.add(new Ban(to + COUNTING_MICROS, from + Limiters.BAN.lastingMicros()));
            }
        }
    }

    private static long late(Collection<Entry> granted, List<Ban> bans) {
        return granted.stream()
                .filter(entry -> bans.stream()
                        .anyMatch(
                                ban -> entry.callMicros() > ban.sinceMicros && entry.returnMicros() < ban.untilMicros))
                .count();
    }

    private record Ban(long sinceMicros, long untilMicros) {}
}
