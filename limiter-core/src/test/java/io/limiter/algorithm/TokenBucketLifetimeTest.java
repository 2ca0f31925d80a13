package io.limiter.algorithm;

import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TokenBucketLifetimeTest {

    private static final long MARGIN_MILLIS = 1000;

    @Test
    void a_bucket_is_kept_for_expire_or_until_it_is_full() {
        TokenBucket bucket = TokenBucket.of(1.0 / 120, 120).withExpire(Duration.ofSeconds(60));
        Timeline<RedisPermits> timeline = new Timeline<>(bucket);
        timeline.take(EPOCH_MICROS, 1, 0);

        assertThat(bucket.lifetimeMillis(timeline.state(), EPOCH_MICROS)).isEqualTo(120_000 + MARGIN_MILLIS);
        assertThat(bucket.lifetimeMillis(timeline.state(), EPOCH_MICROS + 1_000_000))
                .isEqualTo(119_000 + MARGIN_MILLIS);
        assertThat(bucket.lifetimeMillis(timeline.state(), EPOCH_MICROS + 70_000_000))
                .isEqualTo(60_000);
    }

    @Test
    void a_bucket_that_is_soon_full_is_kept_for_expire() {
        assertThat(lifetimeAfter(TokenBucket.of(1000, 1), 1000)).isEqualTo(60_000);
        assertThat(lifetimeAfter(TokenBucket.of(1000, 1).withExpire(Duration.ofMillis(1)), 1000))
                .isEqualTo(1000 + MARGIN_MILLIS);
        assertThat(lifetimeAfter(TokenBucket.of(1000, 1).withExpire(Duration.ofMillis(1)), 1))
                .isEqualTo(1 + MARGIN_MILLIS);
        assertThat(lifetimeAfter(TokenBucket.of(1001, 1).withExpire(Duration.ofMillis(1)), 1))
                .isEqualTo(1 + MARGIN_MILLIS);
        assertThat(lifetimeAfter(TokenBucket.of(999, 1).withExpire(Duration.ofMillis(1)), 1))
                .isEqualTo(2 + MARGIN_MILLIS);
    }

    @Test
    void a_bucket_is_kept_until_its_debt_is_over() {
        TokenBucket bucket = TokenBucket.of(1, 5).withExpire(Duration.ofMillis(1));

        assertThat(lifetimeAfter(bucket, 105)).isEqualTo(105_000 + MARGIN_MILLIS);
    }

    @Test
    void a_warm_bucket_is_kept_until_it_is_cold() {
        TokenBucket bucket = TokenBucket.perSecond(2)
                .withWarmUp(WarmUp.of(Duration.ofSeconds(100)).withColdFactor(7));
        Timeline<RedisPermits> timeline = new Timeline<>(bucket);
        timeline.take(EPOCH_MICROS, 1000, 0);
        long paid = EPOCH_MICROS + timeline.peek(EPOCH_MICROS, 1, 0).waitMicros();

        assertThat(bucket.lifetimeMillis(timeline.state(), paid))
                .isBetween(100_000 + MARGIN_MILLIS, 100_001 + MARGIN_MILLIS);
    }

    @Test
    void a_bucket_that_starts_empty_is_kept_no_longer_than_any_other() {
        assertThat(lifetimeAfter(TokenBucket.guava(1), 1)).isEqualTo(60_000);
        assertThat(lifetimeAfter(TokenBucket.guava(1), 600)).isEqualTo(601_000 + MARGIN_MILLIS);
    }

    @Test
    void an_expired_bucket_that_starts_empty_grants_no_more_than_a_kept_one_and_at_most_a_burst_less() {
        Random random = Seed.random();
        for (int i = 0; i < 10_000; i++) {
            TokenBucket bucket = TokenBucket.guava(Math.pow(10, -1 + 5 * random.nextDouble()));
            Timeline<RedisPermits> timeline = new Timeline<>(bucket);
            timeline.take(EPOCH_MICROS, 1 + random.nextInt(40), Long.MAX_VALUE);
            long then = EPOCH_MICROS + bucket.lifetimeMillis(timeline.state(), EPOCH_MICROS) * 1000;
            Timeline<RedisPermits> forgotten = new Timeline<>(bucket);
            for (int j = 0; j < 10; j++) {
                long permits = 1 + random.nextInt(3);
                long known = timeline.take(then, permits, Long.MAX_VALUE).waitMicros();
                // A burst is a second.
                assertThat(forgotten.take(then, permits, Long.MAX_VALUE).waitMicros())
                        .as(() -> Seed.hint() + bucket)
                        .isBetween(known, known + 1_000_001);
            }
        }
    }

    @Test
    void an_expired_state_decides_like_a_kept_one() {
        Random random = Seed.random();
        for (int i = 0; i < 100_000; i++) {
            double rate = Math.pow(10, -6 + 12 * random.nextDouble());
            TokenBucket bucket = TokenBucket.of(rate, (1 + random.nextInt(20)) / rate)
                    .withMaxWait(Duration.ofDays(1000))
                    .withExpire(Duration.ofMillis(1));
            Timeline<RedisPermits> timeline = new Timeline<>(bucket);
            long called = EPOCH_MICROS + random.nextLong(1_000_000);
            timeline.take(called, 1 + random.nextInt(40), Long.MAX_VALUE);

            long lifetime = timeline.state() == null ? 1 : bucket.lifetimeMillis(timeline.state(), called);
            long then = called + lifetime * 1000;
            long permits = 1 + random.nextInt(40);
            assertThat(timeline.peek(then, permits, 0))
                    .as(() -> Seed.hint() + bucket)
                    .isEqualTo(new Timeline<>(bucket).peek(then, permits, 0));
        }
    }

    private static long lifetimeAfter(TokenBucket bucket, long permits) {
        Timeline<RedisPermits> timeline = new Timeline<>(bucket);
        timeline.take(EPOCH_MICROS, permits, Long.MAX_VALUE);
        return bucket.lifetimeMillis(timeline.state(), EPOCH_MICROS);
    }
}
