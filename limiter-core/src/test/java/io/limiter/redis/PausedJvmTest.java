package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.key.KeySpace;
import io.limiter.testing.Eventually;
import io.limiter.testing.Fleet;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pause of the JVM that is longer than the decision timeout, as in a frozen container, is no outage of Redis. */
class PausedJvmTest {

    private static final int PAUSES = 2;
    private static final int MOST_PAUSES = 3;
    private static final long PAUSE_MILLIS = 3000;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @EnumSource(names = {"SCRIPT", "JEDIS"})
    void the_policy_does_not_decide_what_redis_has_decided(FleetInstance.Engine engine) throws Exception {
        pause(engine);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SCRIPT", "JEDIS"})
    @Tag("soak")
    void the_policy_does_not_decide_with_any_other_engine(FleetInstance.Engine engine) throws Exception {
        pause(engine);
    }

    private void pause(FleetInstance.Engine engine) throws Exception {
        Fleet.Member member = fleet.start(PausedMember.class, redis.prefix(), engine);
        List<String> decided = new ArrayList<>();
        // A slow machine may keep Redis from an answer for longer than the decision timeout, but not after every pause.
        while (passed(decided) < PAUSES && decided.size() < MOST_PAUSES) {
            member.signal("STOP");
            Thread.sleep(PAUSE_MILLIS);
            member.signal("CONT");
            // Twice: the first decision of a key may be of a request from before the pause.
            awaitADecisionOfEachKey();
            awaitADecisionOfEachKey();
            member.go();
            decided.add(member.nextLine());
        }
        // It would decide until the end.
        member.kill();
        assertThat(passed(decided))
                .as("pauses after which the policy decided nothing; by Redis, by the policy, state: %s", decided)
                .isEqualTo(PAUSES);
    }

    private static long passed(List<String> decided) {
        return decided.stream().filter(each -> each.matches("[1-9]\\d* 0 .*")).count();
    }

    private void awaitADecisionOfEachKey() {
        Map<String, String> before = states();
        Eventually.that(() -> assertThat(states().entrySet()).doesNotContainAnyElementsOf(before.entrySet()));
    }

    /** In hexadecimal digits, by key. */
    private Map<String, String> states() {
        return redis.keys().stream()
                .filter(key -> !key.endsWith(KeySpace.LOCK))
                .collect(Collectors.toMap(
                        Function.identity(),
                        key -> HexFormat.of().formatHex(RedisFixture.commands().get(key))));
    }
}
