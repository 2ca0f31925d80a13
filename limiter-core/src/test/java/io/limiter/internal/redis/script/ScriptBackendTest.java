package io.limiter.internal.redis.script;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.time.ServerTime;
import io.limiter.redis.RedisFixture;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.BrokenLimit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ScriptBackendTest {

    private static final TokenBucket TEN = TokenBucket.of(1, 10);

    private static final Request ONE = Request.take(1, 0);

    private static final Request PEEK = Request.peek(1, 0);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void one_decision_is_one_command() {
        RateLimiter limiter = RedisFixture.builder(RedisFixture.connections())
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("k", TEN);
        limiter.tryAcquire();
        RedisFixture.commands().configResetstat();
        for (int i = 0; i < 20; i++) {
            limiter.tryAcquire();
        }
        assertThat(RedisFixture.commandsSent())
                .as("20 decisions: one EVALSHA each, and in it TIME, GET and for the 9 granted one write")
                .isEqualTo(Map.of("evalsha", 20L, "time", 20L, "get", 20L, "setrange", 9L));
    }

    @Test
    void a_bucket_gets_a_new_expiry_seldom_and_never_too_late() {
        String key = redis.prefix() + "{k}";
        TokenBucket limit = TokenBucket.of(1, 10).withExpire(Duration.ofSeconds(20));
        Backend engine = engine();
        RedisFixture.commands().configResetstat();
        long startNanos = System.nanoTime();
        decideIn(engine, key, limit, ONE);
        for (int second = 1; second <= 40; second++) {
            // The test moves its clock, but not the one of Redis's expiry.
            redis.clock().advance(Duration.ofSeconds(1));
            RedisFixture.commands().pexpire(key, RedisFixture.commands().pttl(key) - 1_000);
            Verdict decision = decideIn(engine, key, limit, Request.take(second % 3 + 1, 0));
            // A rejection writes nothing.
            long needed = Math.max(decision.isGranted() ? 20_000 : 0, decision.fullAfterMicros() / 1_000);
            long ttl = RedisFixture.commands().pttl(key);
            long elapsedMillis =
                    Duration.ofNanos(System.nanoTime() - startNanos).toMillis() + 1;
            assertThat(ttl).as("second %s", second).isBetween(needed - elapsedMillis, 25_000L);
        }
        assertThat(RedisFixture.commandsSent().get("setrange"))
                .as("kept long enough")
                .isGreaterThan(10);
    }

    @Test
    void the_recorded_expiry_of_a_bucket_is_never_later_than_its_ttl() {
        String key = redis.prefix() + "{k}";
        long startNanos = System.nanoTime();
        decideIn(engine(), key, TEN, ONE);
        byte[] value = RedisFixture.commands().get(key);
        long ttl = RedisFixture.commands().pttl(key);
        long elapsedMillis = Duration.ofNanos(System.nanoTime() - startNanos).toMillis() + 1;
        long keptUntil = (value[41] & 0xFF) | (value[42] & 0xFF) << 8 | (value[43] & 0xFF) << 16;
        double nowSeconds = redis.clock().micros() / 1e6 % (1 << 24);
        assertThat((keptUntil - nowSeconds) * 1000).isBetween(ttl - 1000.0, (double) (ttl + elapsedMillis));
    }

    @Test
    void limits_that_take_turns_on_one_key_do_not_prolong_its_life() {
        String key = redis.prefix() + "{k}";
        TokenBucket other = TEN.withRate(2);
        Backend engine = engine();
        for (int i = 0; i < 20; i++) {
            decideIn(engine, key, i % 2 == 0 ? TEN : other, ONE);
        }
        assertThat(RedisFixture.commands().pttl(key))
                .as("no longer than a bucket that has one limit")
                .isBetween(60_000L, 75_000L);
    }

    @Test
    void a_flushed_script_is_sent_again() {
        RateLimiter limiter = redis.byScript().build("k", TEN);
        for (int i = 0; i < 10; i++) {
            RedisFixture.commands().scriptFlush();
            assertThat(limiter.tryAcquire()).isTrue();
        }
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void a_batch_decides_many_requests_of_many_keys_and_kinds() {
        String bucket = redis.prefix() + "{a}";
        String window = redis.prefix() + "{b}";
        String other = redis.prefix() + "{c}";
        List<Answer> answers = decideIn(
                engine(),
                List.of(
                        new KeyRequests<>(bucket, TokenBucket.of(1, 2), List.of(ONE, PEEK, ONE, PEEK, ONE)),
                        new KeyRequests<>(
                                window, FixedWindow.of(2, Duration.ofSeconds(10)), List.of(ONE, PEEK, ONE, ONE)),
                        new KeyRequests<>(other, TEN, List.of(Request.take(12, 5_000_000), ONE))));
        assertThat(granted(answers.get(0))).containsExactly(true, true, true, false, false);
        assertThat(granted(answers.get(1))).containsExactly(true, true, true, false);
        assertThat(answers.get(2).verdicts())
                .containsExactly(
                        verdict(true, 10, 0, 2_000_000, 0, 12_000_000)
                                .withTicketMicros(redis.clock().micros() + 2_000_000),
                        verdict(false, 10, 0, 3_000_000, 3_000_000, 12_000_000));
    }

    @Test
    void a_key_that_cannot_be_read_fails_its_own_requests_only() {
        redis.expectForeignValues();
        String bad = redis.prefix() + "{bad}";
        String wrong = redis.prefix() + "{wrong}";
        String good = redis.prefix() + "{good}";
        RedisFixture.commands().set(bad, "not a bucket".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        RedisFixture.commands().hset(wrong, "field", new byte[] {1});
        List<Answer> answers = decideIn(
                engine(),
                List.of(
                        new KeyRequests<>(bad, TEN, List.of(ONE, ONE)),
                        new KeyRequests<>(wrong, TEN, List.of(ONE)),
                        new KeyRequests<>(good, TEN, List.of(ONE))));
        assertThatThrownBy(() -> answers.get(0).verdicts())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(bad)
                .hasMessageContaining("not this kind of limit's state; delete the key");
        assertThatThrownBy(() -> answers.get(1).verdicts())
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(wrong)
                .hasMessageContaining("WRONGTYPE");
        assertThat(granted(answers.get(2))).containsExactly(true);
    }

    @Test
    void a_decision_that_cannot_be_saved_is_an_error() {
        String full = redis.prefix() + "{full}";
        RedisFixture.commands().configSet("maxmemory", "1");
        try {
            List<Answer> answers = decideIn(
                    engine(),
                    List.of(
                            new KeyRequests<>(full, TEN, List.of(PEEK, ONE, ONE)),
                            new KeyRequests<>(redis.prefix() + "{peeked}", TEN, List.of(PEEK)),
                            new KeyRequests<>(
                                    full + "window",
                                    FixedWindow.of(1, Duration.ofSeconds(1)),
                                    List.of(PEEK, ONE, ONE))));
            for (int failed : new int[] {0, 2}) {
                assertThatThrownBy(() -> answers.get(failed).verdicts())
                        .isInstanceOf(LimiterBackendException.class)
                        .hasMessageContaining(full)
                        .hasMessageContaining("OOM");
            }
            assertThat(granted(answers.get(1))).containsExactly(true);
        } finally {
            RedisFixture.commands().configSet("maxmemory", "0");
        }
    }

    @Test
    void a_key_that_cannot_be_saved_fails_alone() {
        String rejecting = redis.clockLua() + """

                local server = redis
                local redis = {call = server.call, pcall = function(command, key, ...)
                  if command ~= 'GET' and string.find(key, '{bad}', 1, true) then
                    return {err = 'ERR rejected'}
                  end
                  return server.pcall(command, key, ...)
                end}
                """;
        ScriptBackend engine = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()),
                rejecting,
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                new KnownRejections(0, Ticker.systemTicker()));
        for (LimitStep<?> limit : List.of(TEN, FixedWindow.of(10, Duration.ofMinutes(1)))) {
            String start = redis.prefix() + limit.getClass().getSimpleName();
            List<Answer> answers = decideIn(
                    engine,
                    List.of(
                            new KeyRequests<>(start + "{good}", limit, List.of(ONE, ONE, PEEK)),
                            new KeyRequests<>(start + "{bad}", limit, List.of(ONE)),
                            new KeyRequests<>(start + "{better}", limit, List.of(ONE))));
            assertThat(granted(answers.get(0))).containsExactly(true, true, true);
            assertThatThrownBy(() -> answers.get(1).verdicts())
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining("{bad}")
                    .hasMessageContaining("rejected");
            assertThat(granted(answers.get(2))).containsExactly(true);
        }
    }

    @Test
    void a_limit_without_a_script_is_an_error_that_names_the_kinds_with_one() {
        assertThatThrownBy(() -> decideIn(engine(), "k", new BrokenLimit(), ONE))
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(BrokenLimit.class.getName())
                .hasMessageContaining("TokenBucket")
                .hasMessageContaining("lock engine");
    }

    @Test
    void rejections_and_peeks_write_nothing() {
        String key = redis.prefix() + "{k}";
        Backend engine = engine();
        assertThat(decideIn(engine, key, TEN, PEEK).isGranted()).isTrue();
        assertThat(decideIn(engine, key, TEN, Request.take(11, 0)).isGranted()).isFalse();
        assertThat(redis.keys()).isEmpty();
        decideIn(engine, key, TEN, Request.take(10, 0));
        byte[] before = RedisFixture.commands().get(key);
        redis.clock().advance(Duration.ofMillis(500));
        assertThat(decideIn(engine, key, TEN, ONE).isGranted()).isFalse();
        assertThat(RedisFixture.commands().get(key)).isEqualTo(before);
    }

    private Backend engine() {
        return new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()),
                redis.clockLua(),
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                new KnownRejections(0, Ticker.systemTicker()));
    }

    private static List<Boolean> granted(Answer answer) {
        return answer.verdicts().stream().map(Verdict::isGranted).toList();
    }

    @Test
    void an_unexpected_server_time_costs_one_more_call() {
        FixedWindow daily = FixedWindow.of(1, CalendarPeriod.DAY.in(ZoneId.of("Europe/Berlin")));
        Backend backend = engine();
        decideIn(backend, redis.prefix() + "{k}:window", daily, ONE);
        // From 2025-11-20T14:46:40.123456Z; the clocks change in March and in October.
        redis.clock().advance(Duration.ofDays(365));
        RedisFixture.commands().configResetstat();
        assertThat(decideIn(backend, redis.prefix() + "{k}:window", daily, ONE).isGranted())
                .isTrue();
        assertThat(RedisFixture.commandsSent().get("evalsha")).isEqualTo(2);
        assertThat(decideIn(backend, redis.prefix() + "{who}:window", daily, ONE)
                        .fullAfterMicros())
                .as("at 23:00Z")
                .isEqualTo(Duration.parse("PT8H13M19.876544S").toNanos() / 1000);
        assertThat(RedisFixture.commandsSent().get("evalsha")).isEqualTo(3);
    }
}
