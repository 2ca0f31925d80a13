package io.limiter.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.faults.account.Offenders.LoadAndSave;
import io.limiter.faults.account.Offenders.Offender;
import io.limiter.faults.process.Clients;
import io.limiter.faults.process.Endpoint;
import io.limiter.faults.process.RedisConsole;
import io.limiter.faults.process.RedisServer;
import io.limiter.redis.RedisRateLimiterFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The account catches limiters on a real Redis that grant too much, and passes ours. */
class AccountTest {

    private static final double RATE = 100;
    private static final double CAPACITY = 100;
    private static final long START = 1_700_000_000_000_000L;

    private static RedisServer server;
    private static RedisConsole redis;

    @BeforeAll
    static void start() throws Exception {
        server = RedisServer.start();
        redis = new RedisConsole(server.port());
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
        server.close();
    }

    @BeforeEach
    void empty() throws Exception {
        redis.command("FLUSHALL");
    }

    /** As many as it grants of 250 at one moment. */
    private static void callAt(long micros, Offender offender, List<Entry> account) throws Exception {
        for (int i = 0; i < 250; i++) {
            if (offender.tryAcquire(micros)) {
                account.add(granted(micros, micros + 1, 1));
            }
        }
    }

    private static Entry granted(long callMicros, long returnMicros, int permits) {
        return new Entry(callMicros, returnMicros, Limiters.LIMITED, 0, permits, Answer.REDIS, true);
    }

    @Test
    void catches_a_bucket_that_counts_in_whole_seconds() throws Exception {
        Offender gateway = Offenders.wholeSeconds(redis, (int) RATE, (int) CAPACITY);
        List<Entry> account = new ArrayList<>();
        callAt(START + 500_000, gateway, account);
        callAt(START + 1_000_000, gateway, account);
        // 200 in half a second.
        assertThat(Excess.of(CAPACITY, RATE, account)).isBetween(49.9, 50.0);
    }

    @Test
    void catches_a_bucket_that_believes_a_clock_that_steps() throws Exception {
        Offender gateway = Offenders.wholeSeconds(redis, 1, (int) CAPACITY);
        List<Entry> account = new ArrayList<>();
        long clockMicros = START;
        for (int i = 0; i < 4; i++) {
            // A minute back and forth, within 10 ms.
            clockMicros += i % 2 == 0 ? -60_000_000 : 60_000_000;
            for (int call = 0; call < 120; call++) {
                long micros = START + i * 10_000L;
                if (gateway.tryAcquire(clockMicros)) {
                    account.add(granted(micros, micros + 1, 1));
                }
            }
        }
        assertThat(Excess.of(CAPACITY, 1, account)).isBetween(119.0, 120.0);
    }

    @Test
    void catches_a_bucket_that_is_off_by_one() throws Exception {
        List<Entry> account = new ArrayList<>();
        callAt(START, Offenders.offByOne(redis, (int) CAPACITY), account);
        assertThat(Excess.of(CAPACITY, RATE, account)).isBetween(0.99, 1.0);
    }

    @Test
    void catches_a_bucket_that_loads_and_saves_in_two_calls() throws Exception {
        TokenBucket limit = TokenBucket.perSecond(RATE).withCapacity(CAPACITY);
        List<Entry> account = new ArrayList<>();
        long grants = 0;
        try (RedisConsole other = new RedisConsole(server.port())) {
            LoadAndSave ours = new LoadAndSave(redis, limit);
            LoadAndSave theirs = new LoadAndSave(other, limit);
            for (int i = 0; i < 120; i++) {
                ours.load();
                theirs.load();
                for (LoadAndSave each : List.of(ours, theirs)) {
                    if (each.stepAndSave(START)) {
                        account.add(granted(START, START + 1, 1));
                        grants++;
                    }
                }
            }
        }
        assertThat(grants).isEqualTo(200);
        assertThat(Excess.of(CAPACITY, RATE, account)).isBetween(99.9, 100.0);
        // Redis knows of half of them.
        assertThat(Conservation.of(100, account).forgotten()).isEqualTo(100);
    }

    @Test
    void catches_a_refund_that_is_executed_twice() {
        Entry grant = counted(3, Answer.REDIS);
        Entry refund = counted(-3, Answer.REDIS);
        assertThat(Conservation.of(0, List.of(grant, refund)).forgotten()).isZero();
        assertThat(Conservation.of(-3, List.of(grant, refund)).forgotten()).isEqualTo(3);
        assertThat(Conservation.of(3, List.of(grant, refund)).takenTooOften()).isEqualTo(3);
        // That it may have been executed, once, excuses both.
        Entry ambiguous = counted(-3, Answer.AMBIGUOUS);
        assertThat(Conservation.of(0, List.of(grant, ambiguous)).forgotten()).isZero();
        assertThat(Conservation.of(3, List.of(grant, ambiguous)).takenTooOften())
                .isZero();
        assertThat(Conservation.of(-3, List.of(grant, ambiguous)).forgotten()).isEqualTo(3);
    }

    private static Entry counted(int permits, Answer answer) {
        return new Entry(START, START + 1, Limiters.REFUNDED, 0, permits, answer, answer == Answer.REDIS);
    }

    @Test
    void passes_ours(@TempDir Path folder) throws Exception {
        LettuceConnectionFactory connections = Clients.lettuce(Endpoint.standalone(server.port()));
        AccountFile file = AccountFile.create(folder.resolve("account"));
        try (file;
                RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connections)
                        // However busy the machine is, Redis decides.
                        .decisionTimeout(Duration.ofMinutes(1))
                        .build()) {
            limiters.warmUp().join();
            RateLimiter limited =
                    limiters.build("limited", TokenBucket.perSecond(RATE).withCapacity(CAPACITY));
            RateLimiter counted = limiters.build(
                    "counted", TokenBucket.per(1, Duration.ofDays(1)).withCapacity(500));
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Limiters which = i % 2 == 0 ? Limiters.LIMITED : Limiters.COUNTED;
                RateLimiter limiter = i % 2 == 0 ? limited : counted;
                Thread thread = new Thread(() -> {
                    for (int call = 0; call < 250; call++) {
                        long record = file.begin(which, 0, 1);
                        var decision = limiter.decide(1);
                        file.end(record, Answer.of(decision.source()), decision.isGranted());
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            List<Entry> account = AccountFile.read(folder.resolve("account"));
            assertThat(account).hasSize(2000);
            assertThat(Excess.of(CAPACITY, RATE, grants(account, Limiters.LIMITED)))
                    .isLessThanOrEqualTo(0.001);
            long taken = 500 - counted.peek(1).remaining();
            Conservation conservation = Conservation.of(taken, grants(account, Limiters.COUNTED));
            assertThat(conservation.takenTooOften()).isZero();
            assertThat(conservation.forgotten()).isZero();
        } finally {
            connections.destroy();
        }
    }

    private static List<Entry> grants(List<Entry> account, Limiters limiter) {
        return account.stream()
                .filter(entry -> entry.limiter() == limiter && entry.granted() && entry.answer() == Answer.REDIS)
                .toList();
    }
}
