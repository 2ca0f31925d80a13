package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Excess;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.Leftovers;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.MemberSettings;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Redis is well; a JVM that calls is not. */
final class Instances {

    private static final MemberSettings STANDARD = MemberSettings.standard();
    private static final MemberSettings LEASES = STANDARD.limiters(Limiters.LEASED, Limiters.COUNTED);
    private static final MemberSettings BANS = STANDARD.limiters(Limiters.BANNING, Limiters.COUNTED);
    private static final MemberSettings PREFETCH = STANDARD.limiters(Limiters.PREFETCHED, Limiters.PREFETCHED_COUNTED);

    private Instances() {}

    static List<Experiment> all() {
        return List.of(
                named("jvm-killed-with-batches")
                        .does("One JVM of two is killed under load (SIGKILL) and replaced, 3 times")
                        .promises("Nothing is granted again; calls under way at the kill are ambiguous")
                        .inShort()
                        .fault(Duration.ofSeconds(6), scene -> killAndReplace(scene, STANDARD)),
                named("leases-closed")
                        .does(
                                "Two JVMs hold leases and close them, most after 50 to 300 ms, some after 3 s; nothing fails")
                        .promises(
                                "A lease is held until it is closed, also beyond the lease time, and then free immediately")
                        .members(LEASES, LEASES)
                        .inShort()
                        .fault(Duration.ofSeconds(1), scene -> scene.pass(Duration.ofSeconds(1))),
                named("close-with-leases")
                        .does("The factory of the only JVM is closed while it holds all leases")
                        .promises(
                                "A lease is held until it is closed, also beyond the lease time, and then free immediately")
                        .members(LEASES)
                        .mayLoseLeases()
                        .inShort()
                        .fault(Duration.ofSeconds(1), Instances::closeAndWatchLeases),
                named("jvm-killed-with-leases")
                        .does("One JVM of two is killed while it holds leases, and replaced, 3 times")
                        .promises("At most 8 leases; those of a killed JVM are free after the lease time, 2 s")
                        .members(LEASES, LEASES)
                        .fault(Duration.ofSeconds(6), scene -> killAndReplace(scene, LEASES)),
                named("jvm-killed-leases-free")
                        .does("The only JVM is killed while it holds all leases")
                        .promises("At most 8 leases; those of a killed JVM are free after the lease time, 2 s")
                        .members(LEASES)
                        .fault(Duration.ofSeconds(3), Instances::killAndWatchLeases),
                named("jvm-killed-with-prefetched-permits")
                        .does("One JVM of two is killed while it has prefetched permits, and replaced, 3 times")
                        .promises(Fleets.BOUND + "; what a killed JVM had prefetched is spent")
                        .members(PREFETCH, PREFETCH)
                        .fault(Duration.ofSeconds(6), scene -> killAndReplace(scene, PREFETCH)),
                named("jvm-closed-with-prefetched-permits")
                        .does("The factory of one JVM of two is closed while it has prefetched permits")
                        .promises(Fleets.BOUND
                                + "; what a factory had prefetched and not used is returned when it is closed")
                        .members(PREFETCH, PREFETCH)
                        .fault(Duration.ofSeconds(2), scene -> {
                            scene.member(0).closeLimiters();
                            scene.pass(Duration.ofSeconds(2));
                        }),
                named("jvm-stopped-with-leases")
                        .does("One JVM of two is stopped for 5 s while it holds leases of 2 s")
                        .promises("At most 8 leases: a JVM that continues knows that its leases are lost")
                        .members(LEASES, LEASES)
                        .mayLoseLeases()
                        .fault(Duration.ofSeconds(5), scene -> pause(scene, Duration.ofSeconds(5))),
                named("jvm-stopped-with-prefetched-permits")
                        .does("One JVM of two is stopped for 5 s while it has prefetched permits")
                        .promises(Fleets.BOUND)
                        .members(PREFETCH, PREFETCH)
                        .fault(Duration.ofSeconds(5), scene -> pause(scene, Duration.ofSeconds(5))),
                named("jvm-paused-25-times")
                        .does("One JVM of two is stopped for 150 ms, 25 times")
                        .promises(
                                "A pause of the JVM is no outage: decisions are local for less than 0.05 % of the time")
                        .localAtMost(0.0005)
                        .fault(Duration.ofSeconds(6), scene -> {
                            for (int i = 0; i < 25; i++) {
                                pause(scene, Duration.ofMillis(150));
                                scene.pass(Duration.ofMillis(90));
                            }
                        }),
                named("interrupts")
                        .does("Calling threads are interrupted at random, 1,000 times a second in each JVM")
                        .promises("An interrupt loses no permits: each one taken reaches its caller")
                        .members(STANDARD.interrupted(), STANDARD.interrupted())
                        .fault(Duration.ofSeconds(4), scene -> scene.pass(Duration.ofSeconds(4))),
                named("close-under-load")
                        .does("The factory of one JVM of two is closed while its threads call")
                        .promises("A closed factory throws, and grants nothing more")
                        .fault(Duration.ofSeconds(2), scene -> {
                            scene.member(0).closeLimiters();
                            scene.pass(Duration.ofSeconds(2));
                        }),
                callers(200, 10),
                callers(2000, 100),
                named("live-limit-lowered")
                        .does("A live limit lowers the rate from 100/s to 10/s and the capacity to 10 for 4 s")
                        .promises("Each JVM applies the change, and its removal, within a second")
                        .members(STANDARD, STANDARD)
                        .fault(Duration.ofSeconds(4), Instances::lowerLimit),
                named("live-limit-expires")
                        .does("A live limit lowers the rate from 100/s to 10/s for 3 s, and ends by itself")
                        .promises("A live limit that expires has ended in each JVM a second later")
                        .members(STANDARD, STANDARD)
                        .fault(Duration.ofSeconds(5), Instances::lowerForAWhile),
                named("live-limit-of-a-key")
                        .does("A live limit bans one key of several for 4 s")
                        .promises("Each JVM rejects that key, and no other, within a second")
                        .members(STANDARD, STANDARD)
                        .fault(Duration.ofSeconds(4), Instances::banKey),
                named("jvm-killed-with-bans")
                        .does(
                                "Keys are banned for a second whenever they were rejected 10 times within one; one JVM of two is killed and"
                                        + " replaced, 3 times")
                        .promises("A banned key is granted nothing in any JVM, until its ban is over")
                        .members(BANS, BANS)
                        .fault(Duration.ofSeconds(6), scene -> killAndReplace(scene, BANS)),
                named("slow-log")
                        .does("Redis is stopped for 5 s, and each line logged takes 1 s")
                        .promises("Each JVM decides alone")
                        .members(STANDARD.logMillis(1000), STANDARD.logMillis(1000))
                        .fault(Duration.ofSeconds(5), scene -> Outages.stop(scene, 5)),
                named("starved")
                        .does("JVMs of nice 19 beside two busy loops for each processor, for 6 s")
                        .promises("Each JVM decides alone")
                        .prefix("nice", "-n", "19")
                        .recoversWithin(Duration.ofSeconds(5))
                        .fault(Duration.ofSeconds(6), Instances::starve));
    }

    private static Experiment callers(int threads, int pauseMillis) {
        return named("callers-" + threads + "-redis-down")
                .does(threads + " threads of one JVM call while Redis is killed; it comes back 5 s later, empty")
                .promises("Each JVM decides alone")
                .members(STANDARD.threads(threads, pauseMillis))
                .mayLoseState(1)
                .fault(Duration.ofSeconds(5), scene -> Outages.restart(scene, 5));
    }

    private static void killAndReplace(Scene scene, MemberSettings settings) throws Exception {
        for (int i = 0; i < 3; i++) {
            int last = scene.members().size() - 1;
            scene.member(last).kill();
            scene.join(settings);
            scene.pass(Duration.ofMillis(scene.random().nextInt(500, 1000)));
        }
    }

    private static void killAndWatchLeases(Scene scene) throws Exception {
        try (Observer observer = new Observer(scene.endpoint())) {
            requireHeld(observer, scene);
            scene.member(0).kill();
            scene.requireFreeLeases(observer, "after the kill", Limiters.LEASES.leaseTime());
        }
        scene.join(LEASES);
    }

    private static void closeAndWatchLeases(Scene scene) throws Exception {
        try (Observer observer = new Observer(scene.endpoint())) {
            requireHeld(observer, scene);
            scene.member(0).closeLimiters();
            scene.requireFreeLeases(observer, "after the factory was closed", Duration.ZERO);
        }
        scene.join(LEASES);
    }

    private static void requireHeld(Observer observer, Scene scene) {
        scene.require(Measure.VALIDITY, observer.leases() > 0, "no lease was held");
    }

    private static void pause(Scene scene, Duration duration) throws Exception {
        scene.member(0).pause();
        scene.pass(duration);
        scene.member(0).goOn();
    }

    private static void lowerLimit(Scene scene) throws Exception {
        TokenBucket lower = TokenBucket.perSecond(10).withCapacity(10);
        try (Observer observer = new Observer(scene.endpoint())) {
            String name = Limiters.LIMITED.name().toLowerCase(Locale.ROOT);
            ChangeNote note = ChangeNote.of("faults", "an experiment");
            LiveSettings settings =
                    LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10).withCapacity(10);
            LiveLimit live = observer.live().put(name, settings, note, 0);
            scene.pass(Duration.ofSeconds(1));
            long sinceMicros = AccountFile.nowMicros();
            scene.pass(Duration.ofSeconds(3));
            List<Entry> grants = new ArrayList<>();
            for (MemberProcess member : scene.members()) {
                member.account().stream()
                        .filter(entry -> entry.limiter() == Limiters.LIMITED && entry.key() == 0 && entry.granted())
                        .filter(entry -> entry.callMicros() > sinceMicros && entry.answer() != Answer.PENDING)
                        .forEach(grants::add);
            }
            observer.live().remove(name, note, live.version());
            double excess = Excess.of(lower.maxPermits(), lower.permitsPerSecond(), grants);
            scene.note(grants.size() + " permits of a key in 3 s under the live limit");
            scene.require(
                    Measure.LIVE,
                    excess <= 0.5,
                    String.format(Locale.ROOT, "%.1f permits were granted beyond the live limit", excess));
        }
    }

    private static void lowerForAWhile(Scene scene) throws Exception {
        try (Observer observer = new Observer(scene.endpoint())) {
            Policies.awaitCounted(scene, scene.members().size() + 1);
            observer.live()
                    .put(
                            Limiters.LIMITED.name().toLowerCase(Locale.ROOT),
                            LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10).withCapacity(10),
                            ChangeNote.of("faults", "an experiment").withExpiry(Duration.ofSeconds(3)),
                            0);
            scene.pass(Duration.ofSeconds(4));
            long sinceMicros = AccountFile.nowMicros();
            scene.pass(Duration.ofSeconds(1));
            long granted = 0;
            for (MemberProcess member : scene.members()) {
                granted += member.account().stream()
                        .filter(entry -> entry.limiter() == Limiters.LIMITED && entry.key() == 0 && entry.granted())
                        .filter(entry -> entry.callMicros() > sinceMicros)
                        .count();
            }
            scene.note(granted + " permits of a key in the second after that");
            // Of 100, where the live limit would grant 10.
            scene.require(
                    Measure.ENDS,
                    granted > 30,
                    "only " + granted + " permits were granted in the second after the live limit had to be over");
        }
    }

    private static void banKey(Scene scene) throws Exception {
        try (Observer observer = new Observer(scene.endpoint())) {
            String name = Limiters.LIMITED.name().toLowerCase(Locale.ROOT);
            ChangeNote note = ChangeNote.of("faults", "an experiment");
            LiveKey key = LiveKey.of(Limiters.LIMITED.key(0));
            Policies.awaitCounted(scene, scene.members().size() + 1);
            LiveLimit live = observer.live().put(name, key, LiveSettings.BANNED, note, 0);
            scene.pass(Duration.ofSeconds(1));
            long sinceMicros = AccountFile.nowMicros();
            scene.pass(Duration.ofSeconds(3));
            long banned = 0;
            long others = 0;
            for (MemberProcess member : scene.members()) {
                for (Entry entry : member.account()) {
                    if (entry.limiter() == Limiters.LIMITED && entry.granted() && entry.callMicros() > sinceMicros) {
                        banned += entry.key() == 0 ? 1 : 0;
                        others += entry.key() == 0 ? 0 : 1;
                    }
                }
            }
            observer.live().remove(name, key, note, live.version());
            scene.note(others + " permits of other keys in 3 s");
            scene.require(Measure.LIVE, banned == 0, banned + " permits of a key were granted that a live limit bans");
            scene.require(Measure.LIVE, others > 0, "no permits were granted of keys without a live limit");
        }
    }

    private static void starve(Scene scene) throws Exception {
        List<Process> loops = new ArrayList<>();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            loops.add(Leftovers.start(new ProcessBuilder("sh", "-c", "while :; do :; done")));
        }
        scene.pass(Duration.ofSeconds(6));
        loops.forEach(Leftovers::kill);
    }
}
