package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.testing.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several JVMs that hold permits in real time, of which some are killed and others stopped for longer than their leases:
 * never are more held than there are, by the clock of Redis.
 */
class ConcurrencyFleetTest {

    private static final int LIMIT = 3;
    private static final int LEASE_MILLIS = 400;
    private static final int HOG_LEASE_MILLIS = 3000;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final List<Process> fleet = new ArrayList<>();

    @AfterEach
    void nothing_is_left_running() {
        fleet.forEach(Process::destroyForcibly);
    }

    @Test
    void never_more_are_held_than_there_are_while_holders_are_killed_and_stopped() throws Exception {
        redis.expectForeignValues();
        Process steady = start(LIMIT, LEASE_MILLIS, "worker");
        Process stopped = start(LIMIT, LEASE_MILLIS, "worker");
        Process killed = start(LIMIT, LEASE_MILLIS, "worker");
        for (Process member : fleet) {
            go(member);
        }
        for (int i = 0; i < 3; i++) {
            Thread.sleep(300);
            signal("STOP", stopped);
            Thread.sleep(3 * LEASE_MILLIS);
            if (i == 1) {
                killed.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            }
            signal("CONT", stopped);
        }
        for (Process member : List.of(steady, stopped)) {
            go(member);
            assertThat(nextLine(member)).isEqualTo("end");
        }
        List<String> ledger =
                RedisFixture.commands().lrange(ConcurrencyFleetMember.ledgerKey(redis.prefix()), 0, -1).stream()
                        .map(entry -> new String(entry, StandardCharsets.UTF_8))
                        .toList();
        assertThat(mostAtOnce(ledger)).isBetween(1, LIMIT);
        try (RedisRateLimiterFactory factory = factory()) {
            ConcurrencyLimiter limiter = limiter(factory, LIMIT);
            for (int i = 0; i < LIMIT; i++) {
                assertThat(limiter.tryAcquire("other", Duration.ZERO)).isPresent();
                assertThat(limiter.tryAcquire(Duration.ofMinutes(1)))
                        .as("all come back")
                        .isPresent();
            }
        }
    }

    @Test
    void a_holder_that_stood_still_learns_that_its_lease_is_gone_and_disturbs_nobody() throws Exception {
        Process hog = start(1, HOG_LEASE_MILLIS, "hog");
        go(hog);
        assertThat(nextLine(hog)).isEqualTo("held");
        try (RedisRateLimiterFactory factory = factory()) {
            ConcurrencyLimiter limiter = limiter(factory, 1);
            signal("STOP", hog);
            Lease lease = limiter.acquire(1, Duration.ofMinutes(1));
            signal("CONT", hog);
            assertThat(nextLine(hog)).isEqualTo("lost, held false");
            assertThat(nextLine(hog)).isEqualTo("closed");
            assertThat(lease.isHeld()).isTrue();
            assertThat(limiter.inUse()).isEqualTo(1);
        }
    }

    @Test
    void the_permit_of_a_killed_holder_comes_back() throws Exception {
        Process hog = start(1, HOG_LEASE_MILLIS, "hog");
        go(hog);
        assertThat(nextLine(hog)).isEqualTo("held");
        try (RedisRateLimiterFactory factory = factory()) {
            hog.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            assertThat(limiter(factory, 1).tryAcquire(Duration.ofMinutes(1))).isPresent();
        }
    }

    /** How many of those holds overlap of which the holder was sure to the end. */
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
        return RedisRateLimiterFactory.builder(RedisFixture.connections()).build();
    }

    /** With leases that this JVM does not lose, however slow the machine is. */
    private ConcurrencyLimiter limiter(RedisRateLimiterFactory factory, int limit) {
        return factory.withPrefix(redis.prefix()).concurrent("fleet", limit, Duration.ofMinutes(5));
    }

    private Process start(int limit, int leaseMillis, String role) throws IOException {
        Process member = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConcurrencyFleetMember.class.getName(),
                        TestRedis.shared().uri(),
                        redis.prefix(),
                        Integer.toString(limit),
                        Integer.toString(leaseMillis),
                        role)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        fleet.add(member);
        assertThat(nextLine(member)).isEqualTo("ready");
        return member;
    }

    /** The next that is not from the log. */
    private static String nextLine(Process member) throws IOException {
        String line = member.inputReader().readLine();
        while (line != null && !line.matches("[a-z][a-z, ]*")) {
            line = member.inputReader().readLine();
        }
        return line;
    }

    private static void go(Process member) throws IOException {
        member.getOutputStream().write('\n');
        member.getOutputStream().flush();
    }

    private static void signal(String signal, Process member) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(member.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
