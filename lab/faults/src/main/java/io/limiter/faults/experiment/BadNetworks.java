package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.Network;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Redis is well, and the way there is not. */
final class BadNetworks {

    private static final String ONCE =
            "What was sent is never sent again, and counts as spent: taken in Redis = granted + ambiguous";
    private static final String DECIDES = "Redis still decides, as the decision timeout is 100 ms";

    private BadNetworks() {}

    static List<Experiment> all() {
        return List.of(
                lostUnderWay("calls-cut-under-way", MemberSettings.standard()),
                lostUnderWay(
                        "calls-cut-under-way-jedis", MemberSettings.standard().byJedis()),
                broken(
                                "replies-lost",
                                "Requests are executed for 3 s, and no reply comes back",
                                3,
                                Network::loseReplies)
                        .promises(ONCE),
                delayed(30).localAtMost(0.05),
                delayed(60).localAtMost(0.05),
                delayed(70).localAtMost(0.05),
                delayed(90),
                named("replies-stall")
                        .does("Nothing arrives for 150 ms, once a second, 8 times")
                        .promises("Redis decides at least three of four calls")
                        .withNetwork()
                        .localAtMost(0.25)
                        .fault(Duration.ofSeconds(8), scene -> {
                            for (int i = 0; i < 8; i++) {
                                scene.network().blackhole();
                                scene.pass(Duration.ofMillis(150));
                                scene.network().heal();
                                scene.pass(Duration.ofMillis(850));
                            }
                        }),
                named("connections-cut")
                        .does("All connections break, 10 times in 3 s")
                        .promises(ONCE)
                        .withNetwork()
                        .fault(Duration.ofSeconds(3), scene -> {
                            for (int i = 0; i < 10; i++) {
                                scene.network().cut();
                                scene.pass(Duration.ofMillis(300));
                            }
                        }),
                broken("connections-refused", "Connections break and cannot be made for 3 s", 3, Network::refuse)
                        .promises(ONCE),
                broken("replies-trickle", "Replies come byte by byte for 3 s, 200 in a second", 3, Network::trickle)
                        .promises(ONCE),
                broken(
                                "blackhole",
                                "Nothing arrives in either direction for 5 s, and all of it afterwards",
                                5,
                                Network::blackhole)
                        .promises(ONCE));
    }

    /** Each call has a key of its own, so that its permits say how often it was executed. */
    private static Experiment lostUnderWay(String name, MemberSettings settings) {
        MemberSettings once = settings.notCounted()
                .limiters(Limiters.ONCE, Limiters.ROOMY)
                .instances(4)
                .threads(48, 5);
        return named(name)
                .does("All connections break while calls are under way, and some calls reply too late, for 30 s"
                        + (name.endsWith("jedis") ? ", over Jedis" : ""))
                .promises("Each single call is executed once at most, and never if its caller knows that it was not")
                .members(once, once)
                .withNetwork()
                .fault(Duration.ofSeconds(30), scene -> {
                    for (int i = 0; i < 60; i++) {
                        // Longer than the decision timeout of JVMs with several instances.
                        boolean late = i % 6 == 5;
                        scene.network().delayReplies(late ? 1200 : 20);
                        scene.pass(Duration.ofMillis(
                                (late ? 1400 : 300) + scene.random().nextInt(40)));
                        scene.network().cut();
                    }
                    scene.network().heal();
                });
    }

    private static Experiment broken(String name, String does, int seconds, Consumer<Network> fault) {
        return named(name).does(does).withNetwork().fault(Duration.ofSeconds(seconds), scene -> {
            fault.accept(scene.network());
            scene.pass(Duration.ofSeconds(seconds));
            scene.network().heal();
        });
    }

    private static Experiment delayed(int millis) {
        return broken(
                        "replies-delayed-" + millis + "ms",
                        "Each reply comes " + millis + " ms later for 4 s",
                        4,
                        network -> network.delayReplies(millis))
                .promises(millis <= 70 ? DECIDES : ONCE);
    }
}
