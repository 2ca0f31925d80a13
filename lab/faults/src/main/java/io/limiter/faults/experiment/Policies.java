package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.Awaited;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.Network;
import io.limiter.faults.process.RedisConsole;
import io.limiter.internal.live.KnownInstances;
import io.limiter.live.LiveOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What decides while Redis does not, apart from {@code local} with the whole limit and {@code throw}, which most experiments have. */
final class Policies {

    private static final Duration OUTAGE = Duration.ofSeconds(2);

    private static final MemberSettings POLICIES = MemberSettings.standard()
            .limiters(Limiters.FAIL_OPEN, Limiters.FAIL_CLOSED, Limiters.SHARED, Limiters.COUNTED);
    private static final MemberSettings REFUNDS =
            MemberSettings.standard().limiters(Limiters.REFUNDED, Limiters.REFUNDED_ALONE);
    private static final MemberSettings PARTIAL =
            MemberSettings.standard().limiters(Limiters.UP_TO, Limiters.LEAVING, Limiters.SETTLED, Limiters.WARNED);
    private static final MemberSettings SETS =
            MemberSettings.standard().limiters(Limiters.PART_COUNTED, Limiters.PART_LOCAL);

    /** About how long it takes until JVMs have counted each other, which they do every five seconds. */
    private static final Duration COUNTING = Duration.ofSeconds(6);

    /** After which JVMs that died are not counted: their last count is over, and the others have counted twice since. */
    private static final Duration FORGOTTEN = KnownInstances.counts(LiveOptions.DEFAULT.pollInterval())
            .plus(KnownInstances.EVERY.multipliedBy(2))
            .plusSeconds(3);

    private static final MemberSettings LIVE = MemberSettings.standard().threads(9, 4);
    private static final MemberSettings OWNERS =
            MemberSettings.standard().threads(12, 4).limiters(Limiters.OWNED, Limiters.COUNTED);

    private Policies() {}

    static List<Experiment> all() {
        return List.of(
                named("policies-redis-stopped-2s")
                        .does("Redis is stopped for 2 s, under the policies allow, deny and local with a share of 0.5")
                        .promises("allow grants all, deny nothing, and each of two JVMs at most half of the limit")
                        .members(POLICIES, POLICIES)
                        .inShort()
                        .fault(OUTAGE, scene -> Outages.stop(scene, 2)),
                named("owner-redis-stopped-4s")
                        .does(
                                "Redis is stopped for 4 s, under the policy owner, and three JVMs that count each other call all keys")
                        .promises(
                                "Of each key, one JVM grants the limit once more, and nearly all of it; the other two reject whatever is"
                                        + " requested")
                        .members(OWNERS, OWNERS, OWNERS)
                        .fault(COUNTING.plusSeconds(4), Policies::stopOwned),
                named("refunds-replies-lost")
                        .does(
                                "No reply comes back for 2 s, and callers refund half of their permits, to Redis or to their JVM")
                        .promises(
                                "A refund returns permits once: callers have what was taken, and never more than Redis and each JVM may"
                                        + " grant")
                        .members(REFUNDS, REFUNDS)
                        .withNetwork()
                        .inShort()
                        .fault(OUTAGE, scene -> loseReplies(scene.network(), scene)),
                named("sets-redis-stopped-2s")
                        .does(
                                "Redis is stopped for 2 s, and callers take sets of two limits, under throw and local or local and allow")
                        .promises(
                                "All or nothing: a set that one limit rejects takes nothing of the other, also when JVMs decide alone")
                        .members(SETS, SETS)
                        .inShort()
                        .fault(OUTAGE, scene -> Outages.stop(scene, 2)),
                named("partial-redis-stopped-2s")
                        .does(
                                "Redis is stopped for 2 s; callers take as many permits as there are, leave a fifth to others, settle an"
                                        + " estimate afterwards, or are warned at 80 %")
                        .promises(
                                "Callers have what was taken, whole or in part, before and after it is settled; what is left to others"
                                        + " stays, and a window warns once")
                        .members(PARTIAL, PARTIAL)
                        .fault(OUTAGE, scene -> Outages.stop(scene, 2)),
                named("counted-redis-stopped-8s")
                        .does(
                                "Redis is stopped for 8 s, after one of four JVMs that count each other was killed; another one starts"
                                        + " meanwhile")
                        .promises(
                                "JVMs that were counted grant the limit once, each a fourth of it; one that starts during the outage grants it"
                                        + " once more")
                        .members(LIVE, LIVE, LIVE, LIVE)
                        .fault(COUNTING.plusSeconds(8), Policies::stopCounted),
                named("counted-redis-stopped-after-two-died")
                        .does(
                                "Two of four JVMs that count each other are killed; once they are no longer counted, Redis is stopped for 4 s")
                        .promises(
                                "JVMs that died are no longer counted, so each of the others grants half of the limit, not a fourth")
                        .members(LIVE, LIVE, LIVE, LIVE)
                        .counts(2)
                        .fault(FORGOTTEN.plusSeconds(4), Policies::stopAfterDeath),
                named("counted-redis-restarted-empty-twice")
                        .does(
                                "Redis is killed and comes back empty, and again after 4 s, under four JVMs that count each other")
                        .promises(
                                "A Redis that comes back empty knows of no JVM, and each still grants a fourth of the limit")
                        .members(LIVE, LIVE, LIVE, LIVE)
                        .mayLoseState(2)
                        .fault(COUNTING.plusSeconds(8), Policies::restartTwice));
    }

    /** Returns when so many follow live limits, and have counted. */
    static void awaitCounted(Scene scene, int jvms) throws Exception {
        try (RedisConsole redis = new RedisConsole(scene.redis().port())) {
            Awaited.await(() -> counts(redis).size() == jvms, "not all JVMs have counted");
        }
    }

    /** Returns when each has counted since all were there. */
    private static void awaitCountedByAll(Scene scene, int jvms) throws Exception {
        awaitCounted(scene, jvms);
        try (RedisConsole redis = new RedisConsole(scene.redis().port())) {
            List<String> before = counts(redis);
            Awaited.await(() -> Collections.disjoint(before, counts(redis)), "not all JVMs have counted again");
        }
    }

    /** Until when each counts, unless it counts again. */
    private static List<String> counts(RedisConsole redis) throws IOException {
        String[] lines = redis.command("ZRANGE", "{limiter:live}:instances", "0", "-1", "WITHSCORES")
                .split("\n", -1);
        List<String> counts = new ArrayList<>();
        for (int i = 1; i < lines.length; i += 2) {
            counts.add(lines[i]);
        }
        return counts;
    }

    private static void stopCounted(Scene scene) throws Exception {
        awaitCountedByAll(scene, 4);
        scene.begins();
        scene.member(3).kill();
        scene.redis().stop();
        long startNanos = System.nanoTime();
        scene.pass(Duration.ofSeconds(1));
        scene.join(LIVE);
        scene.pass(Duration.ofSeconds(8).minusNanos(System.nanoTime() - startNanos));
        scene.redis().goOn();
    }

    private static void stopOwned(Scene scene) throws Exception {
        awaitCountedByAll(scene, 3);
        // The last of them has the names by now.
        scene.pass(Duration.ofSeconds(1));
        scene.begins();
        Outages.stop(scene, 4);
    }

    private static void stopAfterDeath(Scene scene) throws Exception {
        awaitCountedByAll(scene, 4);
        scene.member(2).kill();
        scene.member(3).kill();
        scene.pass(FORGOTTEN);
        scene.begins();
        Outages.stop(scene, 4);
    }

    private static void restartTwice(Scene scene) throws Exception {
        awaitCountedByAll(scene, 4);
        scene.begins();
        Outages.restart(scene, 2);
        scene.pass(Duration.ofSeconds(4));
        Outages.restart(scene, 2);
    }

    private static void loseReplies(Network network, Scene scene) throws Exception {
        network.loseReplies();
        scene.pass(OUTAGE);
        network.heal();
    }
}
