package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.algorithm.TokenBucket;
import io.limiter.faults.account.Limiters;
import java.time.Duration;
import java.util.List;

/** The clock of Redis's machine is stepped. */
final class Clocks {

    private Clocks() {}

    static List<Experiment> all() {
        return List.of(stepped(1), stepped(-1), stepped(60).inShort(), stepped(-60));
    }

    private static Experiment stepped(int seconds) {
        boolean ahead = seconds > 0;
        TokenBucket bucket = Limiters.LIMITED.bucket();
        return named("clock-" + (ahead ? "forward-" : "back-") + Math.abs(seconds) + "s")
                .does("Redis's clock steps " + (ahead ? "forward" : "back") + " by " + Math.abs(seconds) + " s")
                .promises(
                        ahead
                                ? "The bucket is refilled for the time skipped, to its capacity at most"
                                : "A step back mints no permits")
                .withClock()
                .mayGrant(ahead ? Math.min(bucket.maxPermits(), bucket.permitsPerSecond() * seconds) : 0)
                .fault(Duration.ofSeconds(2), scene -> {
                    scene.clock().shift(Duration.ofSeconds(seconds));
                    scene.pass(Duration.ofSeconds(2));
                });
    }
}
