package io.limiter.spring.settings;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingChecksTest {

    @Test
    void a_warm_up_that_can_never_grant_the_permits_suggests_fewer() {
        TokenBucket bucket = TokenBucket.perSecond(1).withWarmUp(Duration.ofSeconds(10));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingChecks.canBeGranted(5000, bucket, Duration.ZERO))
                .withMessage(
                        "a cost of 5000 would never be granted: at 1.0/s they take longer than can be reserved ahead,"
                                + " PT1H: lower the cost, or set a higher rate or a longer timeout");
    }
}
