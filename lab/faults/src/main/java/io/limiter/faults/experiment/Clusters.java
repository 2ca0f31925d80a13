package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.lettuce.core.cluster.SlotHash;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Experiment.Servers;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.RedisCluster;
import io.limiter.faults.process.RedisServer;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** A master of a Cluster is gone, or a slot moves. Not the first master, by which JVMs find the others. */
final class Clusters {

    private static final int VICTIM = 1;

    private static final String OTHERS =
            "Redis decides the keys of the other masters, and each JVM decides the rest alone";

    private static final HashTags TAGS =
            new HashTags(RedisRateLimiterFactory.Builder.DEFAULT_HASH_TAGS, SlotHash::getSlot);

    private static final MemberSettings ACROSS = MemberSettings.standard().limiters(Limiters.ACROSS_COUNTED);

    private Clusters() {}

    static List<Experiment> all() {
        return List.of(
                named("cluster-slot-migrated")
                        .does(
                                "Cluster of 3: the slot of a key under load moves to another master and back, 4 times in 4 s")
                        .promises("No permit is lost or granted twice, and Redis still decides")
                        .on(Servers.CLUSTER)
                        .localAtMost(0.05)
                        .fault(Duration.ofSeconds(4), Clusters::migrate),
                named("cluster-master-restarted")
                        .does("Cluster of 3 without replicas: a master is killed, and started 5 s later, empty")
                        .promises(OTHERS + "; a master that comes back empty grants one capacity more")
                        .on(Servers.CLUSTER)
                        .localAtMost(0.05)
                        .mayLoseState(1)
                        .inShort()
                        .fault(Duration.ofSeconds(5), scene -> {
                            kill(scene);
                            scene.pass(Duration.ofSeconds(5));
                            scene.cluster().masters().get(VICTIM).startAgain();
                            scene.cluster().awaitServing(VICTIM);
                            scene.healed();
                        }),
                named("cluster-set-across-masters")
                        .does(
                                "Cluster of 3: a set has limits on two masters; the second one, which rejects most of the sets, has no"
                                        + " memory for 1 s, and is then stopped for 2 s")
                        .promises(
                                "All or nothing: a set that its second master rejects, or does not decide, takes nothing of the first")
                        .members(ACROSS, ACROSS)
                        .on(Servers.CLUSTER)
                        // A set needs both masters within one decision timeout.
                        .recoversWithin(Duration.ofSeconds(2))
                        .fault(Duration.ofSeconds(3), scene -> {
                            int first = RedisCluster.masterOf(slot(Limiters.ACROSS_COUNTED, 0));
                            int second = RedisCluster.masterOf(slot(Limiters.ACROSS_LIMITED, 0));
                            scene.require(Measure.VALIDITY, first != second, "both limits are on one master");
                            RedisServer rejecting = scene.cluster().masters().get(second);
                            rejecting.command("CONFIG", "SET", "maxmemory", "1");
                            scene.pass(Duration.ofSeconds(1));
                            rejecting.command("CONFIG", "SET", "maxmemory", "0");
                            rejecting.stop();
                            scene.pass(Duration.ofSeconds(2));
                            rejecting.goOn();
                        }),
                named("cluster-replica-promoted")
                        .does("Cluster of 3 with replicas: a master is killed, and its replica is elected")
                        .promises(OTHERS + "; what had not reached the replica is granted again")
                        .on(Servers.CLUSTER_WITH_REPLICAS)
                        .localAtMost(0.05)
                        .mayForget(Duration.ofMillis(500))
                        .fault(Duration.ofSeconds(4), scene -> {
                            kill(scene);
                            scene.cluster().awaitPromotion(VICTIM);
                            scene.healed();
                        }));
    }

    private static void kill(Scene scene) throws Exception {
        scene.affects(call -> RedisCluster.masterOf(slot(call.limiter(), call.key())) == VICTIM);
        scene.cluster().masters().get(VICTIM).kill();
    }

    private static int slot(Limiters limiter, int key) {
        return SlotHash.getSlot(new KeySpace("", "", limiter.name().toLowerCase(Locale.ROOT), "", true, () -> TAGS)
                .of(limiter.key(key)));
    }

    private static void migrate(Scene scene) throws Exception {
        RedisCluster cluster = scene.cluster();
        for (int i = 0; i < 4; i++) {
            // All limits of a key are in one slot.
            for (int slot : new int[] {slot(Limiters.LIMITED, 0), slot(Limiters.LIMITED, 1)}) {
                int owner = RedisCluster.masterOf(slot);
                RedisServer home = cluster.masters().get(owner);
                RedisServer guest =
                        cluster.masters().get((owner + 1) % cluster.masters().size());
                cluster.migrate(slot, i % 2 == 0 ? home : guest, i % 2 == 0 ? guest : home);
            }
            scene.pass(Duration.ofSeconds(1));
        }
    }
}
