package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.experiment.Experiment.Servers;
import io.limiter.faults.process.MemberSettings;
import java.time.Duration;
import java.util.List;

/** A Sentinel promotes a replica that does not know everything, or while the primary still decides. */
final class Failovers {

    /** Between a write and its arrival at a replica without lag, on a machine that is busy. */
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    private Failovers() {}

    static List<Experiment> promotions() {
        return List.of(promoted(100), promoted(1000), promoted(5000));
    }

    static List<Experiment> splits() {
        return List.of(
                split("two-primaries", "Each primary grants the limit, so twice the limit until there is one again")
                        .mayHave(2),
                split(
                                "two-primaries-min-replicas",
                                "The old primary grants nothing once its replica is gone: the limit, as without a fault")
                        .redis("--min-replicas-to-write", "1", "--min-replicas-max-lag", "1"));
    }

    private static Experiment promoted(int lagMillis) {
        String lag = lagMillis < 1000 ? "0." + lagMillis / 100 : Integer.toString(lagMillis / 1000);
        return named("replica-promoted-lag-" + lag + "s")
                .does("The primary is killed, and a Sentinel promotes its replica, which lags " + lag + " s behind")
                .promises(
                        "Until the replica is promoted, each JVM decides alone; then what had not reached it is granted again, a capacity"
                                + " at most")
                .on(Servers.REPLICATED)
                .mayForget(Duration.ofMillis(lagMillis).plus(UNDER_WAY))
                .fault(Duration.ofMillis(lagMillis + 3000), scene -> promote(scene, Duration.ofMillis(lagMillis)));
    }

    private static void promote(Scene scene, Duration lag) throws Exception {
        scene.replicated().lag(lag);
        // So that the replica is as far behind as that.
        scene.pass(lag.plus(UNDER_WAY));
        scene.begins();
        scene.replicated().killPrimary();
        scene.replicated().awaitPromotion();
        scene.healed();
    }

    /** Two JVMs stay on the old primary, and one that starts then finds the new one. */
    private static Experiment split(String name, String promise) {
        return named(name)
                .does(
                        "A Sentinel that cannot reach the primary promotes the replica; two JVMs still use the old primary for"
                                + " 5 s, one that starts then uses the new one")
                .promises(promise)
                .on(Servers.REPLICATED)
                .mayForget(UNDER_WAY)
                .fault(Duration.ofSeconds(20), Failovers::split);
    }

    private static void split(Scene scene) throws Exception {
        scene.replicated().front().rejectSentinels(true);
        scene.replicated().awaitPromotion();
        scene.join(MemberSettings.standard());
        scene.pass(Duration.ofSeconds(5));
        scene.replicated().front().rejectSentinels(false);
        scene.replicated().awaitDemotion();
        scene.healed();
    }
}
