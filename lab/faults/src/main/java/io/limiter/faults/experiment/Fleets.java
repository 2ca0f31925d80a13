package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.MemberSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** 64 instances in eight JVMs prefetch permits of one key, and request far more than it grants. */
final class Fleets {

    /** Of all that prefetch. */
    static final String BOUND = "At most `capacity + rate * (d + prefetch time)`, however many instances there are";

    private static final int JVMS = 8;
    private static final int INSTANCES_OF_JVM = 8;

    private static final Duration LASTING = Duration.ofSeconds(4);

    private static final MemberSettings JVM = MemberSettings.standard()
            .notCounted()
            .limiters(Limiters.HOT)
            .instances(INSTANCES_OF_JVM)
            .threads(INSTANCES_OF_JVM, 20);

    private Fleets() {}

    static List<Experiment> all() {
        return List.of(
                fleet("fleet-prefetches")
                        .does("Eight JVMs with eight instances each prefetch permits of one key; nothing fails")
                        .fault(LASTING, scene -> {
                            scene.healed();
                            long granted = count(scene, () -> scene.pass(LASTING));
                            scene.require(
                                    Measure.VALIDITY,
                                    granted > Limiters.HOT.rate() * LASTING.toSeconds() / 2,
                                    "only " + granted + " permits were granted");
                        }),
                fleet("fleet-prefetches-redis-stopped-5s")
                        .does(
                                "The same; Redis is stopped for 5 s, meanwhile one JVM is killed, and another one stopped")
                        .fault(Duration.ofSeconds(5), scene -> count(scene, () -> stop(scene))));
    }

    private static Experiment fleet(String name) {
        return named(name)
                .promises(BOUND)
                // Eight compilers of the second tier would be most of the load.
                .prefix("env", "JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1")
                .members(Collections.nCopies(JVMS, JVM).toArray(MemberSettings[]::new))
                .recoversWithin(Duration.ofSeconds(3));
    }

    /** What a JVM has prefetched, it may use while Redis is stopped, but not after it was stopped itself. */
    private static void stop(Scene scene) throws IOException, InterruptedException {
        scene.redis().stop();
        scene.pass(Duration.ofMillis(scene.random().nextInt(300)));
        scene.member(0).kill();
        scene.member(1).pause();
        scene.pass(Duration.ofMillis(4700));
        scene.member(1).goOn();
        scene.redis().goOn();
        scene.healed();
    }

    @FunctionalInterface
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** What is granted meanwhile, and how often Redis is called for it. */
    private static long count(Scene scene, Work work) throws IOException, InterruptedException {
        scene.redis().command("CONFIG", "RESETSTAT");
        work.run();
        String scripts = scene.redis().info("cmdstat_evalsha");
        String calls = scripts.isEmpty() ? "no" : scripts.substring("calls=".length(), scripts.indexOf(','));
        long requests = 0;
        long granted = 0;
        for (MemberProcess member : scene.members()) {
            for (Entry entry : member.account()) {
                if (entry.answer().isDecision() && entry.callMicros() >= scene.faultMicros()) {
                    requests++;
                    granted += entry.granted() ? 1 : 0;
                }
            }
        }
        scene.note(String.format(
                Locale.ROOT,
                "%,d of %,d requests granted meanwhile, with %s calls of Redis",
                granted,
                requests,
                calls));
        return granted;
    }
}
