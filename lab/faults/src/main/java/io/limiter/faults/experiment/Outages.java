package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Redis is gone for a while: it hangs, or its port is closed. */
final class Outages {

    private static final String LOCAL = "JVMs that count each other grant the limit once more, each its part of it";
    private static final String EMPTY = LOCAL + ", and a Redis that comes back empty one capacity more";
    private static final String SAVED = LOCAL + ". A Redis that comes back with its data knows every permit taken";

    private static final MemberSettings LEASES = MemberSettings.standard().limiters(Limiters.LEASED, Limiters.COUNTED);
    private static final MemberSettings WAITING = MemberSettings.standard().limiters(Limiters.WAITED, Limiters.COUNTED);

    private Outages() {}

    static List<Experiment> all() {
        List<Experiment> all = new ArrayList<>();
        all.add(stopped(1).inShort());
        all.add(stopped(5));
        all.add(stopped(30));
        all.add(named("redis-stopped-5s-not-counted")
                .does("As redis-stopped-5s, with JVMs that do not count each other and so have a share of 1")
                .promises("Each JVM grants the whole limit: n of them and Redis grant 1 + n times the limit")
                .members(
                        MemberSettings.standard().notCounted(),
                        MemberSettings.standard().notCounted())
                .fault(Duration.ofSeconds(5), scene -> stop(scene, 5)));
        all.add(restartedEmpty(2));
        all.add(restartedEmpty(20));
        all.add(restartedWithData(2));
        all.add(restartedWithData(20));
        all.add(named("redis-stopped-5s-leases")
                .does("As redis-stopped-5s, while JVMs hold leases of 2 s, under the policy deny")
                .promises("At most 8 leases: one that cannot be renewed is lost, and none is granted during the outage")
                .members(LEASES, LEASES)
                .mayLoseLeases()
                .fault(Duration.ofSeconds(5), scene -> stop(scene, 5)));
        all.add(named("redis-stopped-5s-waiting")
                .does("As redis-stopped-5s, while callers wait for permits for up to 300 ms")
                .promises(
                        "Nobody wakes early: the permits of the calls that have returned stay within the limit, whoever granted them. "
                                + LOCAL)
                .members(WAITING, WAITING)
                .fault(Duration.ofSeconds(5), scene -> stop(scene, 5)));
        all.add(named("redis-stopped-5s-jedis")
                .does("As redis-stopped-5s, over Jedis")
                .promises(LOCAL)
                .members(
                        MemberSettings.standard().byJedis(),
                        MemberSettings.standard().byJedis())
                .fault(Duration.ofSeconds(5), scene -> stop(scene, 5)));
        all.add(named("redis-restarted-empty-20s-jedis")
                .does("As redis-restarted-empty-20s, over Jedis")
                .promises(EMPTY)
                .members(
                        MemberSettings.standard().byJedis(),
                        MemberSettings.standard().byJedis())
                .mayLoseState(1)
                .fault(Duration.ofSeconds(20), scene -> restart(scene, 20)));
        return all;
    }

    private static Experiment stopped(int seconds) {
        return named("redis-stopped-" + seconds + "s")
                .does("Redis is stopped (SIGSTOP) and goes on " + seconds + " s later")
                .promises(LOCAL)
                .fault(Duration.ofSeconds(seconds), scene -> stop(scene, seconds));
    }

    private static Experiment restartedEmpty(int seconds) {
        return named("redis-restarted-empty-" + seconds + "s")
                .does("Redis is killed and started " + seconds + " s later, empty")
                .promises(EMPTY)
                .mayLoseState(1)
                .fault(Duration.ofSeconds(seconds), scene -> restart(scene, seconds));
    }

    private static Experiment restartedWithData(int seconds) {
        return named("redis-restarted-aof-" + seconds + "s")
                .does("Redis is killed and started " + seconds + " s later, from its append-only file")
                .promises(SAVED)
                .redis("--appendonly", "yes", "--appendfsync", "always")
                .fault(Duration.ofSeconds(seconds), scene -> restart(scene, seconds));
    }

    static void stop(Scene scene, int seconds) throws Exception {
        scene.redis().stop();
        scene.pass(Duration.ofSeconds(seconds));
        scene.redis().goOn();
    }

    static void restart(Scene scene, int seconds) throws Exception {
        scene.redis().kill();
        scene.pass(Duration.ofSeconds(seconds));
        scene.redis().startAgain();
    }
}
