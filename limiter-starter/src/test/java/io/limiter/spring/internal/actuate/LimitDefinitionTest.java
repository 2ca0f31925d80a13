package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Prefetch;
import io.limiter.Share;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LimitDefinitionTest {

    @Test
    void values_keep_their_type_and_times_are_seconds() {
        assertThat(LimitDefinition.of(TokenBucket.of(0.5, 10), Prefetch.of(Duration.ofSeconds(2)), null, null))
                .containsEntry("capacity", 5L)
                .containsEntry("permitsPerSecond", 0.5)
                .containsEntry("burstSeconds", 10.0)
                .containsEntry("maxWait", 3600.0)
                .containsEntry("startsFull", true)
                .containsEntry("prefetch", Map.of("time", 2.0, "callsPerSecond", 5_000))
                .doesNotContainKey("warmUp");
        assertThat(LimitDefinition.of(
                        TokenBucket.perSecond(2).withWarmUp(WarmUp.of(Duration.ofSeconds(3))), null, null, null))
                .containsEntry("warmUp", Map.of("period", 3.0, "coldFactor", 3.0));
        assertThat(LimitDefinition.of(FixedWindow.of(3, CalendarPeriod.DAY), null, null, null))
                .isEqualTo(Map.of("capacity", 3L, "limit", 3L, "per", "day", "zone", "UTC"));
        assertThat(LimitDefinition.of(FixedWindow.of(10, CalendarPeriod.DAY), null, Share.parse("75%"), null))
                .containsEntry("warnAt", 8L);
        assertThat(LimitDefinition.of(ConcurrencyLimit.of(2).withLeaseTime(Duration.ofMillis(1500)), null, null, null))
                .isEqualTo(Map.of("capacity", 2L, "limit", 2L, "leaseTime", 1.5));
    }
}
