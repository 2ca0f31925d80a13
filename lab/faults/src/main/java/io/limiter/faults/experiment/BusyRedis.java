package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.process.RedisConsole;
import java.time.Duration;
import java.util.List;

/** Redis is there, and occupied. */
final class BusyRedis {

    private static final String LOCAL = "Each JVM decides alone; Redis executes no call twice";

    private BusyRedis() {}

    static List<Experiment> all() {
        return List.of(
                named("client-pause")
                        .does("CLIENT PAUSE for 2 s")
                        .promises(LOCAL)
                        .fault(Duration.ofSeconds(2), scene -> {
                            scene.redis().command("CLIENT", "PAUSE", "2000");
                            scene.pass(Duration.ofSeconds(2));
                        }),
                named("debug-sleep")
                        .does("DEBUG SLEEP for 2 s")
                        .promises(LOCAL)
                        .fault(Duration.ofSeconds(2), scene -> scene.redis().command("DEBUG", "SLEEP", "2")),
                named("busy-script")
                        .does("Another script runs for 3 s; Redis replies BUSY after 200 ms")
                        .promises(LOCAL)
                        .redis("--lua-time-limit", "200")
                        .fault(Duration.ofSeconds(3), BusyRedis::occupy));
    }

    private static void occupy(Scene scene) throws Exception {
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            console.send("EVAL", "while true do end", "0");
            scene.pass(Duration.ofSeconds(3));
            scene.redis().command("SCRIPT", "KILL");
        }
    }
}
