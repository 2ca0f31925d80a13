package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Callers that send a new key each time, to be granted permits each time or to fill Redis. */
class NewKeysTest {

    private static final int MOST = 10;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_limit_by_address_in_the_same_set_bounds_the_keys_of_one_caller() {
        LimiterFactory limiters = redis.byScript();
        Limiter byAddress = limiters.build("new-keys", FixedWindow.of(MOST, Duration.ofMinutes(1)));
        Limiter byToken = limiters.build("token", FixedWindow.of(5, Duration.ofHours(1)));
        int granted = 0;
        for (int i = 0; i < 200; i++) {
            LimitSet both = LimitSet.of(byAddress.on("203.0.113.9"), byToken.on("made-up-" + i));
            granted += both.decide(1).isGranted() ? 1 : 0;
        }
        assertThat(granted).isEqualTo(MOST);
        assertThat(redis.keys()).as("those that were granted, and the address").hasSize(MOST + 1);
    }

    @Test
    void a_key_of_any_length_is_as_long_in_redis_as_a_hash() {
        Limiter limiter = redis.byScript().build("token", FixedWindow.of(5, Duration.ofHours(1)));
        for (int length : new int[] {129, 10_000, 1_000_000}) {
            assertThat(limiter.tryAcquire("k".repeat(length))).isTrue();
        }
        assertThat(redis.keys()).hasSize(3).allMatch(key -> key.length() < 150);
    }
}
