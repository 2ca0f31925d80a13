package io.limiter.live.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Live limits as an application without Spring Boot starts them. */
class RedisLiveLimitsTest {

    private static final ChangeNote NOTE = ChangeNote.of("ann", "flood");
    private static final LiveSettings TEN =
            LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10);

    // The Redis is that of other tests, too.
    private final String name = "live-" + UUID.randomUUID();
    private final LiveOptions options = LiveOptions.DEFAULT.withPollInterval(Duration.ofHours(1));
    private final RedisRateLimiterFactory limiters =
            RedisFixture.builder(RedisFixture.connections()).namespace(name).build();

    @AfterEach
    void close() {
        limiters.close();
        RedisFixture.commands()
                .del(RedisFixture.commands()
                        .keys("{limiter:live:" + name + "}*")
                        .toArray(String[]::new));
    }

    private RateLimiter search(LimiterFactory factory) {
        return factory.build(name, TokenBucket.perSecond(100));
    }

    @Test
    void a_limiter_that_was_built_before_they_were_started_obeys_them() {
        RateLimiter before = search(limiters);
        RedisLiveLimits live = RedisLiveLimits.start(limiters, options);
        RateLimiter after = search(limiters);
        LiveLimit stored = live.put(name, TEN, NOTE, 0);
        assertThat(before.getRate()).isEqualTo(10);
        assertThat(after.getRate()).isEqualTo(10);
        live.remove(name, NOTE, stored.version());
        assertThat(before.getRate()).isEqualTo(100);
    }

    @Test
    void an_open_factory_has_them_once() {
        assertThat(RedisLiveLimits.of(limiters)).isEmpty();
        RedisLiveLimits live = RedisLiveLimits.start(limiters, options);
        live.put(name, TEN, NOTE, 0);
        assertThat(RedisLiveLimits.of(limiters).orElseThrow().get(name)).isPresent();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisLiveLimits.start(limiters, options))
                .withMessageContaining("they were started before");

        RedisRateLimiterFactory closed =
                RedisFixture.builder(RedisFixture.connections()).namespace(name).build();
        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisLiveLimits.start(closed, options))
                .withMessageContaining("it was closed");
        assertThat(RedisLiveLimits.of(closed)).isEmpty();
    }

    @Test
    void a_pause_keeps_what_is_in_effect_and_misses_nothing_that_follows_it() {
        RedisLiveLimits live = RedisLiveLimits.start(limiters, options);
        RateLimiter limiter = search(limiters);
        LiveLimit stored = live.put(name, TEN, NOTE, 0);
        live.pause();
        try (RedisRateLimiterFactory other =
                RedisFixture.builder(RedisFixture.connections()).namespace(name).build()) {
            RedisLiveLimits elsewhere = RedisLiveLimits.start(other, options);
            Eventually.that(() -> assertThat(elsewhere.get(name)).isPresent());
            elsewhere.put(name, TEN.withRate(20), NOTE, stored.version());
        }
        assertThat(limiter.getRate()).isEqualTo(10);
        RedisLiveLimits.of(limiters).orElseThrow().resume();
        Eventually.that(() -> assertThat(limiter.getRate()).isEqualTo(20));
    }
}
