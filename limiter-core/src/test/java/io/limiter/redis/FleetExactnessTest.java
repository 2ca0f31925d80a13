package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.limiter.testing.Fleet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two JVMs with eight threads each on one bucket, which take all that there is: they are granted the limit and no more. */
class FleetExactnessTest {

    private static final int MEMBERS = 2;
    private static final double BURST_SECONDS = 600;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @CsvSource({
        "script, try, 500, 1",
        // So long that at least one permit is refilled.
        "script, try, 0.5, 2.1",
        "script, acquire, 200, 1",
        "lock, try, 50, 1",
        "lock, acquire, 20, 1"
    })
    void a_fleet_is_granted_the_limit_and_no_more(String engine, String call, double rate, double seconds) {
        hammer(engine, call, rate, seconds);
    }

    @ParameterizedTest
    @CsvSource({"script, try, 1234.5, 120", "script, acquire, 777, 120", "lock, try, 33, 60"})
    @Tag("soak")
    void a_fleet_is_granted_no_more_than_the_limit_in_a_long_run(
            String engine, String call, double rate, double seconds) {
        hammer(engine, call, rate, seconds);
    }

    private void hammer(String engine, String call, double rate, double seconds) {
        List<Fleet.Member> members =
                fleet.start(MEMBERS, FleetMember.class, redis.prefix(), engine, rate, BURST_SECONDS, seconds, call);
        members.forEach(Fleet.Member::go);
        List<Result> results =
                members.stream().map(member -> Result.parse(member.nextLine())).toList();
        long granted = results.stream().mapToLong(Result::granted).sum();
        long firstStart = results.stream().mapToLong(Result::start).min().orElseThrow();
        long firstDrained = results.stream().mapToLong(Result::drained).min().orElseThrow();
        long lastEnd = results.stream().mapToLong(Result::end).max().orElseThrow();
        long lastTaken = results.stream().mapToLong(Result::taken).max().orElseThrow();

        double capacity = rate * BURST_SECONDS;
        assertThat((double) granted)
                .as("granted")
                .isLessThanOrEqualTo(capacity + rate * (lastTaken - firstStart) / 1e6);
        // Once it is empty, the bucket has room for all permits of the run, however slow the machine is, and the
        // members take what
        // is left at the end.
        double refilled = rate * Math.min(BURST_SECONDS, (lastEnd - firstDrained) / 1e6);
        assertThat((double) granted)
                .as("granted, of %s refilled", refilled)
                .isGreaterThanOrEqualTo(Math.floor(capacity - 1 + 0.99 * refilled));
    }

    private record Result(long granted, long start, long drained, long end, long taken) {

        static Result parse(String line) {
            List<Long> numbers =
                    Splitter.on(' ').splitToStream(line).map(Long::valueOf).toList();
            return new Result(numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3), numbers.get(4));
        }
    }
}
