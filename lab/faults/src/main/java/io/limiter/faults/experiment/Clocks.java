package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The clock of Redis's machine is stepped. */
final class Clocks {

    private Clocks() {}

    static List<Experiment> all() {
        return List.of(
                stepped(1),
                stepped(-1),
                stepped(60).inShort(),
                stepped(-60),
                named("clock-back-and-forth")
                        .does("Redis's clock steps back and forth by 60 s, 5 times")
                        .promises("No step grants extra permits: the bucket is refilled for the time that has passed")
                        .withClock()
                        .mayFreeze()
                        .fault(Duration.ofSeconds(2), scene -> {
                            for (int i = 0; i < 5; i++) {
                                scene.clock().shift(Duration.ofSeconds(-60));
                                scene.pass(Duration.ofMillis(200));
                                scene.clock().shift(Duration.ZERO);
                                scene.pass(Duration.ofMillis(200));
                            }
                        }),
                named("refill-after-clock-back-5s")
                        .does("Redis's clock steps back by 5 s, and a bucket is observed until it is refilled again")
                        .promises("The refill stops until the clock is where it was, no longer")
                        .withClock()
                        .mayFreeze()
                        .fault(Duration.ofSeconds(8), scene -> {
                            long steppedMicros = AccountFile.nowMicros();
                            scene.clock().shift(Duration.ofSeconds(-5));
                            scene.pass(Duration.ofSeconds(8));
                            checkFrozen(scene, steppedMicros, Duration.ofSeconds(6));
                        }),
                named("refill-after-clock-back-3h")
                        .does(
                                "Redis's clock steps back by 3 h, and a second later forward by 1 h, as if that had passed")
                        .promises("After a step of more than two hours the refill stops for an hour, no longer")
                        .withClock()
                        .mayGrant(Limiters.LIMITED.capacity())
                        .fault(Duration.ofSeconds(3), scene -> {
                            scene.clock().shift(Duration.ofHours(-3));
                            scene.pass(Duration.ofSeconds(1));
                            scene.clock().shift(Duration.ofHours(-2));
                            long passedMicros = AccountFile.nowMicros();
                            scene.pass(Duration.ofSeconds(2));
                            checkFrozen(scene, passedMicros, Duration.ofSeconds(1));
                        }));
    }

    private static void checkFrozen(Scene scene, long sinceMicros, Duration most) throws IOException {
        long frozen = longestWithoutGrant(scene, sinceMicros);
        scene.note(String.format(Locale.ROOT, "no refill for %.1f s after that", frozen / 1e6));
        scene.require(
                Measure.REFILL,
                frozen <= most.toMillis() * 1000,
                "a bucket was not refilled for " + frozen / 1000 + " ms");
    }

    private static long longestWithoutGrant(Scene scene, long sinceMicros) throws IOException {
        List<Long> grants = new ArrayList<>(List.of(sinceMicros, AccountFile.nowMicros()));
        for (MemberProcess member : scene.members()) {
            member.account().stream()
                    .filter(entry -> entry.limiter() == Limiters.LIMITED && entry.key() == 0)
                    .filter(entry ->
                            entry.answer() == Answer.REDIS && entry.granted() && entry.callMicros() > sinceMicros)
                    .forEach(entry -> grants.add(entry.returnMicros()));
        }
        grants.sort(null);
        long longest = 0;
        for (int i = 1; i < grants.size(); i++) {
            longest = Math.max(longest, grants.get(i) - grants.get(i - 1));
        }
        return longest;
    }

    private static Experiment stepped(int seconds) {
        boolean ahead = seconds > 0;
        Experiment stepped = named("clock-" + (ahead ? "forward-" : "back-") + Math.abs(seconds) + "s")
                .does("Redis's clock steps " + (ahead ? "forward" : "back") + " by " + Math.abs(seconds) + " s")
                .promises(
                        ahead
                                ? "The bucket is refilled for the time skipped, to its capacity at most"
                                : "A step back grants no extra permits")
                .withClock()
                .mayGrant(ahead ? Math.min(Limiters.LIMITED.capacity(), Limiters.LIMITED.rate() * seconds) : 0)
                .fault(Duration.ofSeconds(2), scene -> {
                    scene.clock().shift(Duration.ofSeconds(seconds));
                    scene.pass(Duration.ofSeconds(2));
                });
        return ahead ? stepped : stepped.mayFreeze();
    }
}
