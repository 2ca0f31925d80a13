package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.testing.Eventually;
import io.limiter.testing.Fleet;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several JVMs that hold permits in real time, of which some are killed and others stopped for longer than their leases:
 * never are more held than there are, by the clock of Redis.
 */
class ConcurrencyFleetTest {

    private static final int LIMIT = 3;
    private static final int LEASE_MILLIS = 400;
    private static final int HOG_LEASE_MILLIS = 1000;
    private static final int HOLDS_BETWEEN = 10;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void the_limit_holds_while_holders_are_killed_and_stopped() throws Exception {
        redis.expectForeignValues();
        List<Fleet.Member> members = start(3, LIMIT, LEASE_MILLIS, "worker");
        Fleet.Member steady = members.get(0);
        Fleet.Member stopped = members.get(1);
        Fleet.Member killed = members.get(2);
        members.forEach(Fleet.Member::go);
        for (int i = 0; i < 3; i++) {
            awaitHolds(members.indexOf(stopped), redisMicros(), HOLDS_BETWEEN);
            stopped.signal("STOP");
            awaitHolds(members.indexOf(steady), redisMicros() + 3 * LEASE_MILLIS * 1000, 1);
            if (i == 1) {
                killed.kill();
            }
            stopped.signal("CONT");
        }
        for (Fleet.Member member : List.of(steady, stopped)) {
            member.go();
            assertThat(nextLine(member)).isEqualTo("end");
        }
        assertThat(mostAtOnce(ledger())).as(Seed.hint()).isBetween(1, LIMIT);
        try (RedisRateLimiterFactory factory = factory()) {
            ConcurrencyLimiter limiter = limiter(factory, LIMIT);
            for (int i = 0; i < LIMIT; i++) {
                assertThat(limiter.on("other").tryAcquire(Duration.ZERO)).isPresent();
                assertThat(limiter.tryAcquire(Duration.ofMinutes(1)))
                        .as("all come back; " + Seed.hint())
                        .isPresent();
            }
        }
    }

    @Test
    void a_paused_holder_loses_its_lease_and_releases_no_other() throws Exception {
        Fleet.Member hog = start(1, 1, HOG_LEASE_MILLIS, "hog").get(0);
        hog.go();
        assertThat(nextLine(hog)).isEqualTo("held");
        try (RedisRateLimiterFactory factory = factory()) {
            ConcurrencyLimiter limiter = limiter(factory, 1);
            hog.signal("STOP");
            Lease lease = limiter.acquire(1, Duration.ofMinutes(1));
            hog.signal("CONT");
            assertThat(nextLine(hog)).isEqualTo("lost, held false");
            assertThat(nextLine(hog)).isEqualTo("closed");
            assertThat(lease.isHeld()).isTrue();
            assertThat(limiter.inUse()).isEqualTo(1);
        }
    }

    @Test
    void the_permit_of_a_killed_holder_is_released_after_the_lease_time() throws Exception {
        Fleet.Member hog = start(1, 1, HOG_LEASE_MILLIS, "hog").get(0);
        hog.go();
        assertThat(nextLine(hog)).isEqualTo("held");
        try (RedisRateLimiterFactory factory = factory()) {
            hog.kill();
            assertThat(limiter(factory, 1).tryAcquire(Duration.ofMinutes(1))).isPresent();
        }
    }

    /** Waits until a member has begun so many holds after this time. */
    private void awaitHolds(int member, long afterMicros, int holds) {
        Eventually.that(() -> assertThat(ledger().stream()
                        .map(entry -> entry.split(" "))
                        .filter(words -> words[0].equals("from")
                                && words[1].startsWith(member + ":")
                                && Long.parseLong(words[2]) > afterMicros))
                .hasSizeGreaterThanOrEqualTo(holds));
    }

    private static long redisMicros() {
        List<byte[]> time = RedisFixture.commands().time();
        return Long.parseLong(text(time.get(0))) * 1_000_000 + Long.parseLong(text(time.get(1)));
    }

    private List<String> ledger() {
        return RedisFixture.commands().lrange(ConcurrencyFleetMember.ledgerKey(redis.prefix()), 0, -1).stream()
                .map(ConcurrencyFleetTest::text)
                .toList();
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }

    /** The number of overlapping holds whose lease was valid to the end. */
    private static int mostAtOnce(List<String> ledger) {
        Map<String, Long> from = new HashMap<>();
        Map<String, Long> to = new HashMap<>();
        TreeMap<Long, Integer> changes = new TreeMap<>();
        for (String entry : ledger) {
            String[] words = entry.split(" ");
            switch (words[0]) {
                case "from" -> from.put(words[1], Long.valueOf(words[2]));
                case "to" -> to.put(words[1], Long.valueOf(words[2]));
                default -> {
                    changes.merge(from.get(words[1]), 1, Integer::sum);
                    changes.merge(to.get(words[1]), -1, Integer::sum);
                }
            }
        }
        int now = 0;
        int most = 0;
        for (int change : changes.values()) {
            now += change;
            most = Math.max(most, now);
        }
        return most;
    }

    private RedisRateLimiterFactory factory() {
        return RedisFixture.builder(RedisFixture.connections()).build();
    }

    /** With leases that this JVM does not lose, however slow the machine is. */
    private ConcurrencyLimiter limiter(RedisRateLimiterFactory factory, int limit) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("fleet", ConcurrencyLimit.of(limit).withLeaseTime(Duration.ofMinutes(5)));
    }

    private List<Fleet.Member> start(int members, int limit, int leaseMillis, String role) {
        return fleet.start(members, ConcurrencyFleetMember.class, redis.prefix(), "script", limit, leaseMillis, role);
    }

    /** The next that is not from the log. */
    private static String nextLine(Fleet.Member member) {
        return member.nextLine("[a-z][a-z, ]*");
    }
}
