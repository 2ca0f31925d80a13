package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * A limiter with a rejection cache and one without, call by call through the same random trace, each on a bucket of its own in
 * one Redis: the decisions are equal, except for the documented differences.
 */
class RejectionCacheExactnessTest {

    private static final int TRACES = 2;
    private static final int CALLS = 100;
    private static final Duration LONGEST = Duration.ofSeconds(1);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Random random = Seed.random();

    @BeforeEach
    void count() {
        RedisFixture.commands().configResetstat();
    }

    @ParameterizedTest
    @EnumSource
    void without_other_jvms_decisions_differ_only_in_their_source(RejectionCachePair.Kind kind) {
        for (int trace = 0; trace < TRACES; trace++) {
            RejectionCachePair pair = new RejectionCachePair(redis, kind, random);
            for (int call = 0; call < CALLS; call++) {
                pair.timePasses();
                if (random.nextInt(30) == 0) {
                    pair.setAnotherRate();
                }
                RejectionCachePair.Call next = pair.randomCall();
                Decision plain = pair.plain(next);
                Decision cached = pair.cached(next);
                assertThat(cached.withSource(Decision.Source.BACKEND))
                        .as("%s, call %d of trace %d: %s", pair, call, trace, next)
                        .isEqualTo(plain);
            }
        }
        assertThat(RedisFixture.commandsSent().get("evalsha"))
                .as("without a cache all, with it not all: it has answered some")
                .isLessThan(2L * TRACES * CALLS);
    }

    @ParameterizedTest
    @EnumSource
    void when_other_jvms_take_permits_the_same_requests_are_granted(RejectionCachePair.Kind kind) {
        for (int trace = 0; trace < TRACES; trace++) {
            RejectionCachePair pair = new RejectionCachePair(redis, kind, random);
            for (int call = 0; call < CALLS; call++) {
                pair.timePasses();
                if (random.nextInt(3) == 0) {
                    pair.othersCall(pair.randomCallUnderFirstLimit());
                }
                RejectionCachePair.Call next = pair.randomCallUnderFirstLimit();
                boolean plain = pair.plain(next).isGranted();
                boolean cached = random.nextBoolean() ? pair.cached(next).isGranted() : pair.tryCached(next);
                assertThat(cached)
                        .as("%s, call %d of trace %d: %s", pair, call, trace, next)
                        .isEqualTo(plain);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void when_other_jvms_change_the_limit_rejections_last_a_second_longer_at_most(RejectionCachePair.Kind kind) {
        for (int trace = 0; trace < TRACES; trace++) {
            RejectionCachePair pair = new RejectionCachePair(redis, kind, random);
            long changed = Long.MIN_VALUE;
            for (int call = 0; call < CALLS; call++) {
                pair.timePasses();
                if (call == CALLS / 2) {
                    pair.othersCallUnderAnotherLimit();
                    changed = pair.ticker().micros();
                }
                if (isLongerRejected(pair, pair.randomCallUnderFirstLimit(), changed)) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void when_the_server_clock_steps_ahead_rejections_last_a_second_longer_at_most(RejectionCachePair.Kind kind) {
        for (int trace = 0; trace < TRACES; trace++) {
            RejectionCachePair pair = new RejectionCachePair(redis, kind, random);
            long stepped = Long.MIN_VALUE;
            for (int call = 0; call < CALLS; call++) {
                pair.timePasses();
                if (call == CALLS / 2) {
                    redis.clock().advance(Duration.ofMillis(random.nextInt(100_000)));
                    stepped = pair.ticker().micros();
                }
                if (isLongerRejected(pair, pair.randomCallUnderFirstLimit(), stepped)) {
                    break;
                }
            }
        }
    }

    /** No windows, which end a period after their first request, up to a second later; nor sliding limits. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"WINDOW", "LOG", "COUNTER"})
    void when_the_server_clock_steps_back_the_same_requests_are_granted(RejectionCachePair.Kind kind) {
        for (int trace = 0; trace < TRACES; trace++) {
            RejectionCachePair pair = new RejectionCachePair(redis, kind, random, TokenBucket.DEFAULT_MAX_WAIT);
            for (int call = 0; call < CALLS; call++) {
                pair.timePasses();
                if (random.nextInt(30) == 0) {
                    redis.clock().advance(Duration.ofMillis(-random.nextInt(60_000)));
                }
                RejectionCachePair.Call next = pair.randomCallUnderFirstLimit();
                boolean plain = pair.plain(next).isGranted();
                assertThat(pair.cached(next).isGranted())
                        .as("%s, call %d of trace %d: %s", pair, call, trace, next)
                        .isEqualTo(plain);
            }
        }
    }

    /** Whether the cache rejects a request that is granted without it, which is right only shortly after the change. */
    private static boolean isLongerRejected(RejectionCachePair pair, RejectionCachePair.Call call, long changedMicros) {
        boolean plain = pair.plain(call).isGranted();
        boolean cached = pair.cached(call).isGranted();
        if (cached == plain) {
            return false;
        }
        assertThat(cached).as("%s: %s", pair, call).isFalse();
        assertThat(pair.ticker().micros() - changedMicros)
                .as("%s: %s, microseconds after the change", pair, call)
                .isBetween(0L, LONGEST.toNanos() / 1000);
        return true;
    }
}
