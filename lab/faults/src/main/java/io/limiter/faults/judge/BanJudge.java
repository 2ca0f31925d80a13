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

/** Judges bans: what was granted of a key after it had been rejected so often that it was banned. */
final class BanJudge {

    /** A rejection is counted after its caller has it. */
    private static final long COUNTING_MICROS = 250_000;

    /** More than ban a key, because a rejection may not be counted if Redis fails just then. */
    private static final int ENOUGH = 3 * Limiters.BAN.after();

    private final Scene scene;
    private final Accounts accounts;
    private final BiConsumer<Measure, String> violations;

    BanJudge(Scene scene, Accounts accounts, BiConsumer<Measure, String> violations) {
        this.scene = scene;
        this.accounts = accounts;
        this.violations = violations;
    }

    void judge() {
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
