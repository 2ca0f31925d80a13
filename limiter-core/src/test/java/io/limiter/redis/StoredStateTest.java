package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stored state of a key, which both engines read and write. */
class StoredStateTest {

    private static final String NOW = "1.763650000123456E12";

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @ParameterizedTest
    @EnumSource
    void a_bucket_in_json_is_read(RedisFixture.By by) {
        RateLimiter limiter = redis.limiters(by).build("k", 10, 1, 60);
        put(
                "k",
                "{\"maxPermits\":10.0,\"storedPermits\":3.5,\"intervalMillis\":100.0,\"nextFreeTicketMillis\":" + NOW
                        + ",\"addedByALaterVersion\":{\"a\":[1]}}");
        assertThat(limiter.tryAcquire(4)).isFalse();
        assertThat(limiter.tryAcquire(3)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void the_packed_bucket_is_read(RedisFixture.By by) {
        assertThat(redis.byScript().build("k", 1, 10, 60).tryAcquire(6)).isTrue();
        assertThat(redis.limiters(by).build("k", 1, 10, 60).tryAcquire(5)).isFalse();
        assertThat(redis.limiters(by).build("k", 1, 10, 60).tryAcquire(4)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_plain_counter_without_a_ttl_counts_and_gets_a_ttl(RedisFixture.By by) {
        putWindow("k", "3");
        Limiter limiter = redis.limiters(by).build("k", FixedWindow.of(3, Duration.ofSeconds(10)));
        assertThat(limiter.decide(1).fullAfter()).isEqualTo(Duration.ofSeconds(10));
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(RedisFixture.commands().pttl(windowKey("k"))).isBetween(1L, 11_000L);
        redis.clock().advance(Duration.ofSeconds(10));
        assertThat(limiter.tryAcquire(3)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_plain_counter_keeps_the_window_of_its_ttl(RedisFixture.By by) {
        putWindow("k", "2");
        RedisFixture.commands().pexpire(windowKey("k"), 40_000);
        Limiter limiter = redis.limiters(by).build("k", FixedWindow.of(3, Duration.ofSeconds(100)));
        assertThat(limiter.tryAcquire(2)).isFalse();
        assertThat(limiter.decide(1).fullAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(40));
    }

    @ParameterizedTest
    @EnumSource
    void a_rejection_restores_a_lost_ttl_of_a_window(RedisFixture.By by) {
        Limiter limiter = redis.limiters(by).build("k", FixedWindow.of(1, Duration.ofSeconds(10)));
        assertThat(limiter.tryAcquire()).isTrue();
        RedisFixture.commands().persist(windowKey("k"));
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(RedisFixture.commands().pttl(windowKey("k"))).isBetween(1L, 11_000L);
    }

    /** So that not all keys of one day expire at the same moment. Those of an hour and shorter periods need no more than that. */
    @ParameterizedTest
    @EnumSource
    void the_key_of_a_day_expires_in_the_hour_after_it(RedisFixture.By by) {
        LimiterFactory limiters = redis.limiters(by);
        long now = redis.clock().micros();
        assertThat(limiters.build("k", FixedWindow.of(1, CalendarPeriod.DAY)).tryAcquire())
                .isTrue();
        long ofDay = (CalendarPeriod.DAY.at(now).endMicros() - now) / 1000 + now / 1000 % 3_600_000;
        assertThat(RedisFixture.commands().pttl(windowKey("k"))).isBetween(ofDay - 20_000, ofDay + 1_001);
        assertThat(limiters.build("short", FixedWindow.of(1, CalendarPeriod.HOUR))
                        .tryAcquire())
                .isTrue();
        long ofHour = (CalendarPeriod.HOUR.at(now).endMicros() - now) / 1000;
        assertThat(RedisFixture.commands().pttl(windowKey("short"))).isBetween(ofHour - 20_000, ofHour + 1_001);
    }

    @ParameterizedTest
    @EnumSource
    void expiry_creates_no_permits(RedisFixture.By by) {
        // Two minutes until the bucket is full again: twice the configured 60 s.
        RateLimiter limiter = redis.limiters(by).build("k", 1.0 / 120, 120, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(RedisFixture.commands().pttl(key("k"))).isBetween(115_000L, 136_000L);
    }

    @ParameterizedTest
    @EnumSource
    void a_key_is_kept_for_expire_and_little_longer(RedisFixture.By by) {
        LimiterFactory limiters = redis.limiters(by);
        assertThat(limiters.build("k", 100, 1, 60).tryAcquire()).isTrue();
        assertThat(limiters.build("guava", TokenBucket.guava(100)).tryAcquire()).isTrue();
        assertThat(limiters.build("warming", TokenBucket.guava(100, Duration.ofSeconds(1)))
                        .tryAcquire())
                .isTrue();
        for (String name : List.of("k", "guava", "warming")) {
            assertThat(RedisFixture.commands().pttl(key(name))).as(name).isBetween(55_000L, 75_000L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_bucket_that_fills_later_than_expire_is_kept_until_it_is_full(RedisFixture.By by) {
        assertThat(redis.limiters(by).build("k", 0.01, 1000, 60).tryAcquire(10)).isTrue();
        assertThat(RedisFixture.commands().pttl(key("k"))).isBetween(996_000L, 1_016_000L);
        assertThat(redis.limiters(by).build("short", 1000, 1, 1).tryAcquire()).isTrue();
        assertThat(RedisFixture.commands().pttl(key("short"))).isBetween(500L, 3_000L);
    }

    @ParameterizedTest
    @EnumSource
    void another_limit_definition_does_not_shorten_the_ttl(RedisFixture.By by) {
        assertThat(redis.limiters(by).build("k", 0.1, 1000, 1).tryAcquire(100)).isTrue();
        assertThat(redis.limiters(by).build("k", 100, 1, 1).tryAcquire()).isFalse();
        assertThat(RedisFixture.commands().pttl(key("k"))).isGreaterThan(900_000L);
    }

    @ParameterizedTest
    @EnumSource
    void a_cancellation_under_another_limit_definition_does_not_shorten_the_ttl(RedisFixture.By by) {
        assertThat(redis.limiters(by).build("k", 0.1, 1000, 1).tryAcquire(100)).isTrue();
        RateLimiter limiter = redis.limiters(by).build("k", 100, 1, 1);
        Reservation first = limiter.reserve(10, Duration.ofHours(1));
        limiter.reserve(10, Duration.ofHours(1));
        first.cancel();
        assertThat(RedisFixture.commands().pttl(key("k"))).isGreaterThan(900_000L);
    }

    @ParameterizedTest
    @EnumSource
    void reservations_beyond_the_next_free_ticket_are_kept(RedisFixture.By by) {
        RateLimiter limiter = redis.limiters(by).build("k", 10, 1, 1);
        limiter.tryAcquire(10);
        Reservation large = limiter.reserve(2000, Duration.ofHours(1));
        limiter.reserve(10, Duration.ofHours(1));
        large.cancel();
        assertThat(limiter.peek(1).retryAfterMicros()).isLessThan(5_000_000);
        assertThat(RedisFixture.commands().pttl(key("k"))).isGreaterThan(195_000L);
    }

    @ParameterizedTest
    @EnumSource
    void a_debt_is_kept_until_it_is_paid(RedisFixture.By by) {
        RateLimiter limiter = redis.limiters(by).build("k", TokenBucket.of(1, 1).withExpire(Duration.ofSeconds(1)));
        assertThat(limiter.decide(1000, Duration.ofHours(1)).isGranted()).isTrue();
        // It slept on the movable clock; Redis keeps the key by its own.
        assertThat(RedisFixture.commands().pttl(key("k"))).isGreaterThan(995_000L);
    }

    @ParameterizedTest
    @EnumSource
    void a_crafted_key_accesses_no_other_bucket_and_no_lock(RedisFixture.By by) {
        RateLimiter limiter = redis.limiters(by).build("sms", 1, 1, 60);
        for (String key : new String[] {"a", "a}", "a}:lock", "{a}", "a:", ":a", "%61", "a\n", "sms}:a", "a b"}) {
            assertThat(limiter.tryAcquire(key)).as(key).isTrue();
            assertThat(limiter.tryAcquire(key)).as(key).isFalse();
        }
        assertThat(redis.keys()).hasSize(10).allMatch(key -> key.matches(redis.prefix() + "\\{[^{}]*}\\{sms}"));
    }

    private String key(String name) {
        return redis.prefix() + "{" + name + "}";
    }

    private String windowKey(String name) {
        return key(name) + ":window";
    }

    private void putWindow(String name, String value) {
        RedisFixture.commands().set(windowKey(name), value.getBytes(StandardCharsets.UTF_8));
    }

    private void put(String name, String value) {
        RedisFixture.commands().set(key(name), value.getBytes(StandardCharsets.UTF_8));
        RedisFixture.commands().pexpire(key(name), 60_000);
    }
}
