package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedissonLockTest extends DistributedLockContract {

    @Override
    DistributedLock lock(Duration lease) {
        return new RedissonLock(RedisFixture.redisson(), lease);
    }

    @Test
    void nothing_of_it_stays_in_redis() {
        assertThat(redis.underLock(lock(Duration.ofSeconds(5)))
                        .build("k", 1, 1, 60)
                        .tryAcquire())
                .isTrue();
        assertThat(RedisFixture.commands().keys("*" + redis.prefix() + "*"))
                .as("the fenced lock would leave a counter for each key that never expires")
                .allSatisfy(key ->
                        assertThat(RedisFixture.commands().pttl(key)).as(key).isNotEqualTo(-1));
    }

    @Test
    void a_lease_of_nothing_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(Duration.ZERO))
                .withMessage("lease must be at least 1 ms, was PT0S");
    }
}
