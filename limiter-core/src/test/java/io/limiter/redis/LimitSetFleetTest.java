package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.limiter.LimitSet;
import io.limiter.LimiterOptions;
import io.limiter.SetDecision;
import io.limiter.testing.Fleet;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two JVMs with six threads each on sets that overlap: each limit has granted exactly the permits of the granted sets. */
class LimitSetFleetTest {

    private static final int MEMBERS = 2;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @ValueSource(strings = {"script", "lock"})
    void a_fleet_takes_exactly_what_its_sets_were_granted(String engine) {
        List<Fleet.Member> members = fleet.start(MEMBERS, SetFleetMember.class, redis.prefix(), engine);
        members.forEach(Fleet.Member::go);
        long[] granted = new long[3];
        for (Fleet.Member member : members) {
            List<String> numbers = Splitter.on(' ').splitToList(member.nextLine());
            for (int i = 0; i < granted.length; i++) {
                granted[i] += Long.parseLong(numbers.get(i));
            }
        }
        // On the members' clock, which is Redis's own.
        List<LimitSet> sets = SetFleetMember.sets(RedisFixture.builder(RedisFixture.connections())
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix())));
        long bucket = taken(sets.get(0).peek(1), 0);
        long day = taken(sets.get(1).peek(1), 0);
        long hour = taken(sets.get(2).peek(1), 0);
        assertThat(List.of(bucket, day, hour))
                .containsExactly(granted[0] + granted[2], granted[0] + granted[1], granted[1] + granted[2]);
        assertThat(granted).doesNotContain(0);
        if (engine.equals("script")) {
            assertThat(List.of(bucket >= 1200, day >= 900, hour >= 800))
                    .as("of every two limits one is used up: %d, %d, %d", bucket, day, hour)
                    .filteredOn(used -> used)
                    .hasSizeGreaterThanOrEqualTo(2);
        }
    }

    private static long taken(SetDecision decision, int part) {
        return decision.parts().get(part).decision().limit()
                - decision.parts().get(part).decision().remaining();
    }
}
