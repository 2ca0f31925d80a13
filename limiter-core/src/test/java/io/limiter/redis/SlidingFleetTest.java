package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.limiter.testing.Fleet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two JVMs with eight threads each on one sliding log, in real time. What they were granted is checked by a ledger that
 * knows nothing of the log: a grant lies somewhere between its call and its return, so all that were called and returned
 * within one period are within it for certain, and must not be more than the limit.
 */
class SlidingFleetTest {

    private static final int MEMBERS = 2;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @CsvSource({"script, 100, 250, 1.5", "script, 7, 60, 1", "script, 1000, 500, 2", "lock, 20, 300, 1.5"})
    void no_interval_of_a_period_has_more_grants_than_the_limit(
            String engine, int limit, int periodMillis, double seconds) {
        List<Fleet.Member> members =
                fleet.start(MEMBERS, SlidingFleetMember.class, redis.prefix(), engine, limit, periodMillis, seconds);
        members.forEach(Fleet.Member::go);
        List<Grant> ledger = new ArrayList<>();
        members.forEach(member -> readLedger(member, ledger));
        for (Grant first : ledger) {
            long end = first.before() + periodMillis * 1000L;
            long within = 0;
            for (Grant grant : ledger) {
                if (grant.before() >= first.before() && grant.after() < end) {
                    within += grant.permits();
                }
            }
            assertThat(within).as("permits in one period from %s", first).isLessThanOrEqualTo(limit);
        }
        long granted = ledger.stream().mapToLong(Grant::permits).sum();
        assertThat(granted).as("not for want of grants").isGreaterThanOrEqualTo(2L * limit);
    }

    private static void readLedger(Fleet.Member member, List<Grant> ledger) {
        for (String line = member.nextLine(); !line.equals("end"); line = member.nextLine()) {
            ledger.add(Grant.parse(line));
        }
    }

    private record Grant(long permits, long before, long after) {

        static Grant parse(String line) {
            List<String> words = Splitter.on(' ').splitToList(line);
            return new Grant(
                    Integer.parseInt(words.get(0)), Long.parseLong(words.get(1)), Long.parseLong(words.get(2)));
        }
    }
}
