package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.spi.DistributedLock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisLockTest extends DistributedLockContract {

    @Override
    DistributedLock lock(Duration lease) {
        return new RedisLock(RedisFixture.connections(), lease);
    }

    @Test
    void a_lease_of_zero_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(Duration.ofNanos(999_999)))
                .withMessage("lease must be between PT0.001S and PT24000H (ISO-8601), was PT0.000999999S");
    }
}
