package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stored state of sliding logs and sliding counters, which both engines read and write. */
class SlidingStoredStateTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final SlidingLog LOG = SlidingLog.of(5, MINUTE);
    private static final SlidingCounter COUNTER = SlidingCounter.of(5, MINUTE);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @ParameterizedTest
    @EnumSource
    void a_log_in_json_is_read(RedisFixture.By by) {
        long now = redis.clock().micros();
        put(
                LOG,
                "{\"timesMicros\":[" + (now - 59_999_999) + "," + now + "],\"totals\":[1,4],\"uses\":"
                        + "{\"periodMicros\":6E7,\"limit\":5,\"otherPeriodMicros\":0,\"usedMicros\":0},\"addedLater\":{}}");
        Limiter limiter = redis.limiters(by).build("k", LOG);
        assertThat(limiter.decide(2).retryAfter()).hasValue(Duration.ofNanos(1000));
        assertThat(limiter.tryAcquire()).isTrue();
        redis.clock().sleep(1);
        assertThat(limiter.peek().remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void a_counter_in_json_is_read(RedisFixture.By by) {
        long start = redis.clock().micros() / 60_000_000 * 60_000_000;
        put(
                COUNTER,
                "{\"previous\":0,\"current\":4,\"startMicros\":" + start + ",\"periodMicros\":6E7,\"addedLater\":[]}");
        Limiter limiter = redis.limiters(by).build("k", COUNTER);
        assertThat(limiter.tryAcquire(2)).isFalse();
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_counter_of_two_periods_in_json_is_read(RedisFixture.By by) {
        long start = redis.clock().micros() / 60_000_000 * 60_000_000;
        String hour = "{\"previous\":0,\"current\":2,\"startMicros\":" + start / 3_600_000_000L * 3_600_000_000L
                + ",\"periodMicros\":3.6E9}";
        put(
                COUNTER,
                "{\"previous\":0,\"current\":4,\"startMicros\":" + start + ",\"periodMicros\":6E7,\"other\":{\"pair\":"
                        + hour + ",\"usedMicros\":" + start + "}}");
        assertThat(redis.limiters(by).build("k", COUNTER).tryAcquire(2)).isFalse();
        Limiter hourly = redis.limiters(by).build("k", SlidingCounter.of(5, Duration.ofHours(1)));
        assertThat(hourly.tryAcquire(4)).isFalse();
        assertThat(hourly.tryAcquire(3)).isTrue();
    }

    @Test
    void a_counter_of_one_period_keeps_its_encoding_and_one_of_two_returns_to_it() {
        Limiter minutely = redis.byScript().build("k", COUNTER);
        assertThat(minutely.tryAcquire()).isTrue();
        assertThat(RedisFixture.commands().strlen(key(COUNTER))).isEqualTo(37);
        assertThat(redis.byScript()
                        .build("k", SlidingCounter.of(5, Duration.ofMinutes(2)))
                        .tryAcquire())
                .isTrue();
        assertThat(RedisFixture.commands().strlen(key(COUNTER))).isEqualTo(77);
        redis.clock().advance(Duration.ofMinutes(5));
        assertThat(minutely.tryAcquire()).isTrue();
        assertThat(RedisFixture.commands().strlen(key(COUNTER))).isEqualTo(77);
        redis.clock().advance(Duration.ofMinutes(4));
        assertThat(minutely.tryAcquire()).isTrue();
        assertThat(RedisFixture.commands().strlen(key(COUNTER))).isEqualTo(37);
    }

    @ParameterizedTest
    @EnumSource
    void the_packed_encoding_is_read(RedisFixture.By by) {
        for (Limit limit : List.of(LOG, COUNTER)) {
            assertThat(redis.byScript().build("k", limit).tryAcquire(3)).isTrue();
            redis.clock().sleep(1);
            assertThat(redis.limiters(by).build("k", limit).tryAcquire(3)).isFalse();
            assertThat(redis.limiters(by).build("k", limit).tryAcquire(2)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_key_is_kept_until_all_its_entries_have_expired(RedisFixture.By by) {
        for (Limit limit : List.of(LOG, COUNTER)) {
            Limiter limiter = redis.limiters(by).build("k", limit);
            for (int i = 0; i < 100; i++) {
                // What expiry goes by does not move with the test's clock.
                redis.clock().sleep(7_300_000);
                long ttl = RedisFixture.commands().pttl(key(limit));
                if (ttl > 7_300) {
                    RedisFixture.commands().pexpire(key(limit), ttl - 7_300);
                }
                long reset = limiter.decide(1).fullAfter().toMillis();
                assertThat(RedisFixture.commands().pttl(key(limit)))
                        .as("%s, call %d", limit, i)
                        .isBetween(reset, 200_000L);
            }
        }
    }

    @Test
    void a_log_is_mostly_appended_to_and_sometimes_rewritten() {
        Limiter limiter = redis.byScript().build("k", SlidingLog.of(20, Duration.ofSeconds(20)));
        RedisFixture.commands().configResetstat();
        int most = 0;
        for (int i = 0; i < 200; i++) {
            redis.clock().sleep(1_000_000);
            assertThat(limiter.tryAcquire()).isTrue();
            RedisFixture.commands().pexpire(key(LOG), 60_000);
            most = Math.max(most, RedisFixture.commands().strlen(key(LOG)).intValue());
        }
        assertThat(RedisFixture.commandsSent().get("setrange")).isGreaterThan(150);
        assertThat(most).as("twice what counts").isBetween(25 + 35 * 12, 25 + 42 * 12);
    }

    @Test
    void a_rejection_sends_back_a_small_part_of_the_log() {
        SlidingLog limit = SlidingLog.of(1000, Duration.ofHours(1));
        Limiter limiter = redis.byScript().build("k", limit);
        for (int i = 0; i < 1000; i++) {
            redis.clock().sleep(1);
            assertThat(limiter.tryAcquire()).isTrue();
        }
        long before = sentBytes();
        for (int i = 0; i < 100; i++) {
            assertThat(redis.limiters(RedisFixture.By.SCRIPT)
                            .build("k", SlidingLog.of(1000, Duration.ofHours(1).plusMillis(i)))
                            .tryAcquire())
                    .isFalse();
        }
        assertThat(sentBytes() - before)
                .as("100 rejections, and the replies to the test")
                .isLessThan(100 * 150 + 8000);
    }

    private static long sentBytes() {
        String stats = RedisFixture.commands().info("stats");
        return stats.lines()
                .filter(line -> line.startsWith("total_net_output_bytes:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    private String key(Limit limit) {
        return redis.prefix() + "{k}" + limit.asStep().keySuffix();
    }

    private void put(Limit limit, String value) {
        RedisFixture.commands().set(key(limit), value.getBytes(StandardCharsets.UTF_8));
        RedisFixture.commands().pexpire(key(limit), 60_000);
    }
}
