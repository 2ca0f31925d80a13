package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Live limits of keys that a limit bans: they win. */
class LiveBansTest {

    private static final LiveKey ANN = LiveKey.of("ann");
    private static final Ban BAN = Ban.after(2).lasting(Duration.ofMinutes(10), Duration.ofDays(1));

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private LiveInstance factory;
    private Limiter limiter;

    @BeforeEach
    void start() {
        factory = FLEET.instance();
        limiter = factory.withBan(BAN).build("login", FixedWindow.of(1, Duration.ofHours(1)));
    }

    private void beBanned() {
        for (int i = 0; i < 3; i++) {
            limiter.tryAcquire("ann");
        }
        Eventually.that(() -> assertThat(limiter.decide("ann", 1).source()).isEqualTo(Source.OVERRIDE));
    }

    @Test
    void a_key_that_is_exempt_is_neither_banned_nor_counted() {
        beBanned();
        LiveLimit exempt = live(factory).put("login", ANN, LiveSettings.EXEMPT, NOTE, 0);
        assertThat(limiter.tryAcquire("ann")).isTrue();
        assertThat(limiter.decide("ann", 100).granted()).isTrue();
        assertThat(limiter.on("ann").peek(1).granted()).isTrue();
        assertThat(limiter.on("ann").async().tryAcquire(1).join()).isTrue();
        assertThat(LimitSet.of(limiter.on("ann")).tryAcquire()).isTrue();
        live(factory).remove("login", ANN, NOTE, exempt.version());
        assertThat(limiter.decide("ann", 1).source()).isEqualTo(Source.OVERRIDE);
        assertThat(limiter.decide("ann", 1).retryAfter())
                .hasValueSatisfying(left -> assertThat(left).isLessThanOrEqualTo(Duration.ofHours(1)));
    }

    @Test
    void a_live_ban_is_the_one_that_counts() {
        beBanned();
        live(factory).put("login", ANN, LiveSettings.BANNED, NOTE.expiresIn(Duration.ofDays(2)), 0);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.decide("ann", 1).retryAfter()).contains(Duration.ofDays(2));
        assertThat(limiter.on("ann").peek(1).retryAfter()).contains(Duration.ofDays(2));
    }

    @Test
    void a_key_with_numbers_of_its_own_is_banned_as_any_other() {
        live(factory).put("login", ANN, LiveSettings.NONE.limit(3), NOTE, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.tryAcquire("ann")).isTrue();
        }
        beBanned();
    }
}
