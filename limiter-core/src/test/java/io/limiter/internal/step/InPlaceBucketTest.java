package io.limiter.internal.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.step.InPlaceBucket.Result;
import io.limiter.step.Request;
import io.limiter.step.Request.Action;
import io.limiter.step.Step;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InPlaceBucketTest {

    private static final double[] RATES = {0.001, 1.0 / 3, 1, 7, 999.9, 700_000, 1e6, 3e6, 1e9};
    private static final long START = 1_763_650_000_123_456L;

    private final Random random = Seed.random();
    private final Map<Result, Integer> outcomes = new EnumMap<>(Result.class);

    @Test
    void decides_and_changes_the_state_as_a_step_does() {
        for (int i = 0; i < 2_000; i++) {
            compare(limit());
        }
        assertThat(outcomes.get(Result.GRANTED)).isGreaterThan(20_000);
        assertThat(outcomes.get(Result.REJECTED)).isGreaterThan(20_000);
        assertThat(outcomes.get(Result.UNDECIDED)).isGreaterThan(5_000);
    }

    private void compare(TokenBucket first) {
        TokenBucket limit = first;
        long now = START;
        RedisPermits state = null;
        InPlaceBucket bucket = null;
        for (int i = 0; i < 100; i++) {
            now += elapsed(limit);
            if (random.nextInt(50) == 0) {
                limit = limit();
            }
            if (state != null && random.nextInt(20) == 0) {
                state = nearlyWhole(state);
                bucket = null;
            }
            if (bucket == null || bucket.limit() != limit) {
                bucket = state == null ? null : InPlaceBucket.of(limit, state);
            }
            long permits = permits(limit);
            long timeout = random.nextInt(5) == 0 ? random.nextInt(2_000_000) : 0;
            if (bucket != null && random.nextInt(8) > 0) {
                state = takeBoth(limit, state, bucket, permits, timeout, now);
            } else {
                state = limit.step(state, now, other(permits, timeout)).state();
                bucket = null;
            }
        }
    }

    /** Stored permits that are whole but for a rounding, and now and then part of a microsecond. */
    private RedisPermits nearlyWhole(RedisPermits state) {
        double whole = Math.floor(Math.min(state.storedPermits(), 1e6));
        return new RedisPermits(
                state.maxPermits(),
                Math.max(0, Math.nextDown(whole)),
                state.intervalMillis(),
                state.nextFreeTicketMillis(),
                random.nextInt(2) * Math.min(0.5, state.intervalMillis() * 500));
    }

    private @Nullable RedisPermits takeBoth(
            TokenBucket limit,
            @Nullable RedisPermits state,
            InPlaceBucket bucket,
            long permits,
            long timeout,
            long now) {
        String context = Seed.hint() + limit + " " + state + " takes " + permits + " within " + timeout + " at " + now;
        Step<RedisPermits> expected = limit.step(state, now, Request.take(permits, timeout));
        Result outcome = bucket.tryTake(permits, timeout, now);
        outcomes.merge(outcome, 1, Integer::sum);
        if (outcome == Result.GRANTED) {
            assertThat(expected.verdict().isGranted()).as(context).isTrue();
            assertThat(expected.verdict().waitMicros()).as(context).isZero();
            assertThat(bucket.state()).as(context).isEqualTo(expected.state());
            assertThat(bucket.fullAfterMicros(now))
                    .as(context)
                    .isEqualTo(expected.verdict().fullAfterMicros());
            assertThat(bucket.lifetimeMillis(bucket.fullAfterMicros(now)))
                    .as(context)
                    .isEqualTo(limit.lifetimeMillis(bucket.state(), now));
            return expected.state();
        }
        assertThat(bucket.state()).as(context).isEqualTo(state);
        if (outcome == Result.REJECTED) {
            assertThat(expected.verdict().isGranted()).as(context).isFalse();
            assertThat(expected.state()).as(context).isSameAs(state);
        }
        return state;
    }

    private TokenBucket limit() {
        double rate = RATES[random.nextInt(RATES.length)];
        double capacity = random.nextInt(4) == 0 ? 1 + random.nextDouble() * 5 : 1 + random.nextInt(100);
        if (rate > 100_000 && random.nextBoolean()) {
            capacity = Math.rint(Math.pow(TokenBucket.MAX_CAPACITY, random.nextDouble()));
        }
        TokenBucket limit = TokenBucket.perSecond(rate).withCapacity(capacity);
        return switch (random.nextInt(6)) {
            case 0 -> limit.withWhoWaits(WhoWaits.NEXT_CALLER);
            case 1 -> limit.withStartsFull(false);
            case 2 -> limit.withMaxWait(Duration.ofSeconds(random.nextInt(10_000)));
            case 3 -> TokenBucket.guava(rate, Duration.ofSeconds(1));
            case 4 -> limit.withExpire(Duration.ofMillis(1 + random.nextInt(10_000)));
            default -> limit;
        };
    }

    /** A few permits' time, or none, or any, now and then back. */
    private long elapsed(TokenBucket limit) {
        return switch (random.nextInt(16)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> random.nextInt(4_000_000);
            case 3 -> -random.nextInt(4_000_000);
            case 4 ->
                random.nextInt(50) == 0 ? -Duration.ofHours(random.nextInt(4)).toMillis() * 1000 : 0;
            default -> (long) (random.nextDouble() * 4_000 * limit.intervalMillis());
        };
    }

    private long permits(TokenBucket limit) {
        long most = limit.capacity() + 2;
        return switch (random.nextInt(16)) {
            case 0, 1, 2 -> 1 + random.nextLong(Math.min(120, most));
            case 3 -> 1 + random.nextLong(most);
            default -> 1;
        };
    }

    private Request other(long permits, long timeout) {
        return switch (random.nextInt(5)) {
            case 0 -> Request.refund(permits);
            case 1 -> Request.charge(permits);
            case 2 -> Request.of(Action.PEEK, permits, timeout, 0);
            default -> Request.take(permits, timeout);
        };
    }
}
