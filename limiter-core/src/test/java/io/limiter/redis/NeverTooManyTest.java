package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.limiter.testing.Fleet;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two JVMs with eight threads each on one bucket, with enough demand: they are granted the limit and no more. */
class NeverTooManyTest {

    private static final int MEMBERS = 2;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @CsvSource({
        "script, try, 500, 1, 3",
        "script, try, 0.5, 4, 3",
        "script, acquire, 200, 0.5, 3",
        "lock, try, 50, 1, 3",
        "lock, acquire, 20, 0.5, 3"
    })
    void a_fleet_is_granted_the_limit_and_no_more(
            String engine, String call, double rate, double burst, double seconds) {
        hammer(engine, call, rate, burst, seconds);
    }

    @ParameterizedTest
    @CsvSource({"script, try, 1234.5, 2, 120", "script, acquire, 777, 1, 120", "lock, try, 33, 2, 60"})
    @Tag("soak")
    void a_fleet_is_granted_no_more_than_the_limit_in_a_long_run(
            String engine, String call, double rate, double burst, double seconds) {
        hammer(engine, call, rate, burst, seconds);
    }

    private void hammer(String engine, String call, double rate, double burst, double seconds) {
        List<Fleet.Member> members =
                fleet.start(MEMBERS, FleetMember.class, redis.prefix(), rate, burst, seconds, engine, call);
        members.forEach(Fleet.Member::go);
        List<Result> results =
                members.stream().map(member -> Result.parse(member.nextLine())).toList();
        long granted = results.stream().mapToLong(Result::granted).sum();
        long firstStart = results.stream().mapToLong(Result::start).min().orElseThrow();
        long firstDrained = results.stream().mapToLong(Result::drained).min().orElseThrow();
        Result firstToEnd =
                results.stream().min(Comparator.comparingLong(Result::end)).orElseThrow();
        long lastEnd = results.stream().mapToLong(Result::end).max().orElseThrow();

        double most = rate * burst + rate * (lastEnd - firstStart) / 1e6;
        assertThat((double) granted).as("granted, at most %s", most).isLessThanOrEqualTo(most);
        // From when the bucket was first empty, demand is far above the rate. What a stall at the very end left in the
        // bucket is not lost.
        double least = Math.floor(0.99 * (rate * burst + rate * (firstToEnd.end() - firstDrained) / 1e6));
        assertThat((double) granted + firstToEnd.left())
                .as("%d granted and %d left, at least %s", granted, firstToEnd.left(), least)
                .isGreaterThanOrEqualTo(least);
        assertThat((double) granted).as("hardly any left").isGreaterThan(0.8 * least);
    }

    private record Result(long granted, long start, long drained, long end, long left) {

        static Result parse(String line) {
            List<Long> numbers =
                    Splitter.on(' ').splitToStream(line).map(Long::valueOf).toList();
            return new Result(numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3), numbers.get(4));
        }
    }
}
