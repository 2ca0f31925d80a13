package io.limiter.live.redis;

import io.limiter.FailurePolicy;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.redis.NullArgumentsContract;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** See {@link NullArgumentsContract}. */
class NullArgumentsTest extends NullArgumentsContract {

    private final RedisRateLimiterFactory factory =
            RedisFixture.builder(RedisFixture.connections()).build();

    NullArgumentsTest() {
        super(LiveLimits.class, "io.limiter.live", "io.limiter.live.redis");
    }

    @Override
    protected List<Object> samples() {
        LiveSettings settings = LiveSettings.NONE.withRate(1);
        return List.of(
                factory,
                FailurePolicy.LOCAL,
                LiveOptions.DEFAULT,
                settings,
                ChangeNote.of("who", "why"),
                RedisLiveLimits.start(factory, LiveOptions.DEFAULT),
                InstanceReport.of("i", Instant.EPOCH, 1, "available", List.of(), List.of()),
                LiveKey.of("k"),
                LiveLimit.of("k", Optional.empty(), settings, 1, Instant.EPOCH, Optional.empty(), "who", "why"));
    }

    @AfterEach
    void close() {
        factory.close();
    }
}
