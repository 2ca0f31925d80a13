package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Fleet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Two JVMs that prefetch under more load than the limit, in real time, of which one is killed: never more permits are used than
 * the limit allows within the time and the prefetch time.
 */
class PrefetchFleetTest {

    private static final double RATE = 2000;
    private static final double BURST = 1;
    private static final int TIME_MILLIS = 100;
    private static final int REPORTS = 100;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void the_fleet_stays_within_the_bound_when_one_is_killed() throws Exception {
        List<Fleet.Member> members =
                fleet.start(2, PrefetchFleetMember.class, redis.prefix(), "script", RATE, BURST, TIME_MILLIS);
        Fleet.Member survivor = members.get(0);
        Fleet.Member killed = members.get(1);
        long startMicros = now();
        members.forEach(Fleet.Member::go);

        long usedByKilled = 0;
        for (int i = 0; i < REPORTS; i++) {
            usedByKilled = Long.parseLong(killed.nextLine());
            survivor.nextLine();
        }
        killed.kill();
        for (int i = 0; i < REPORTS; i++) {
            survivor.nextLine();
        }
        survivor.go();
        long usedBySurvivor = Long.parseLong(survivor.nextLine("end .*").substring("end ".length()));
        long endMicros = now();

        double allowed = RATE * BURST + RATE * (endMicros - startMicros) / 1e6;
        double used = usedBySurvivor + usedByKilled;
        assertThat(used).as("used, of %s allowed", allowed).isLessThanOrEqualTo(allowed + RATE * TIME_MILLIS / 1e3);
        assertThat(usedBySurvivor).isPositive();
        assertThat(usedByKilled).isPositive();
        // Counted up to the last report and the last peek: later grants of the killed instance are missing.
        double seen = used + left();
        assertThat(seen).as("nothing is lost but what the dead one held").isGreaterThan(0.5 * allowed);
    }

    private long left() {
        try (RedisRateLimiterFactory factory =
                RedisFixture.builder(RedisFixture.connections()).build()) {
            RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                    .build("leased", TokenBucket.of(RATE, BURST));
            return limiter.peek().remaining();
        }
    }

    private static long now() {
        try (RedisConnection connection = RedisFixture.connections().getConnection()) {
            return connection.serverCommands().time(TimeUnit.MICROSECONDS);
        }
    }
}
