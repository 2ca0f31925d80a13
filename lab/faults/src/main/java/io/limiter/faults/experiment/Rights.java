package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.process.MemberSettings;
import java.time.Duration;
import java.util.List;

/** The user by which the limiters connect may do less for a while. */
final class Rights {

    private static final String USER = "limiter";

    private Rights() {}

    static List<Experiment> all() {
        return List.of(
                taken(
                        "rights-to-scripts-taken",
                        "+evalsha and +eval",
                        List.of("-evalsha", "-eval"),
                        List.of("+evalsha", "+eval")),
                taken("rights-to-keys-taken", "the rights to all keys", List.of("resetkeys"), List.of("~*")));
    }

    private static Experiment taken(String name, String what, List<String> take, List<String> giveBack) {
        return named(name)
                .does("ACL: the user loses " + what + " for 3 s")
                .promises(
                        "A permanent failure: each JVM decides alone until it is corrected, here under the whole limit")
                .members(
                        // Live limits need other rights.
                        MemberSettings.standard().notCounted().user(USER),
                        MemberSettings.standard().notCounted().user(USER))
                // What docs/operations gives it.
                .redis("--user", USER, "on", ">" + USER, "~*", "-@all", "+evalsha", "+eval", "+get", "+mget", "+set")
                .redis("+setrange", "+time", "+pttl", "+del", "+hello", "+auth", "+ping", "+client|setname")
                .fault(Duration.ofSeconds(3), scene -> {
                    change(scene, take);
                    scene.pass(Duration.ofSeconds(3));
                    change(scene, giveBack);
                });
    }

    private static void change(Scene scene, List<String> rules) throws Exception {
        for (String rule : rules) {
            scene.redis().command("ACL", "SETUSER", USER, rule);
        }
    }
}
