package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.Network;
import java.time.Duration;
import java.util.List;

/** What decides while Redis does not, beside {@code local} with the whole limit and {@code throw}, which most experiments have. */
final class Policies {

    private static final Duration OUTAGE = Duration.ofSeconds(2);

    private static final MemberSettings POLICIES = MemberSettings.standard()
            .limiters(Limiters.FAIL_OPEN, Limiters.FAIL_CLOSED, Limiters.SHARED, Limiters.COUNTED);
    private static final MemberSettings REFUNDS =
            MemberSettings.standard().limiters(Limiters.REFUNDED, Limiters.REFUNDED_ALONE);
    private static final MemberSettings SETS =
            MemberSettings.standard().limiters(Limiters.PART_COUNTED, Limiters.PART_LOCAL);

    private Policies() {}

    static List<Experiment> all() {
        return List.of(
                named("policies-redis-stopped-2s")
                        .does("Redis is stopped for 2 s, under the policies allow, deny and local with a share of 0.5")
                        .promises("allow grants all, deny nothing, and each of two JVMs at most half of the limit")
                        .members(POLICIES, POLICIES)
                        .inShort()
                        .fault(OUTAGE, scene -> Outages.stop(scene, 2)),
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
                        .fault(OUTAGE, scene -> Outages.stop(scene, 2)));
    }

    private static void loseReplies(Network network, Scene scene) throws Exception {
        network.loseReplies();
        scene.pass(OUTAGE);
        network.heal();
    }
}
