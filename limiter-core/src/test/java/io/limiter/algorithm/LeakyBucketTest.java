package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Leaky buckets as token buckets. */
class LeakyBucketTest {

    private static final long NOW = 1_763_650_000_000_000L;

    private final Random random = Seed.random();

    /** Compared with a plain model of a leaky bucket. */
    @Test
    void a_meter_rejects_a_request_that_would_overflow() {
        for (int bucket = 0; bucket < 20; bucket++) {
            int capacity = 1 + random.nextInt(20);
            int leak = 1 + random.nextInt(50);
            TokenBucket meter = LeakyBucket.meter(leak, capacity);
            @Nullable RedisPermits state = null;
            // In parts of a permit that are whole numbers: a microsecond leaks so many millionths.
            long level = 0;
            long now = NOW;
            for (int i = 0; i < 2_000; i++) {
                long pause = random.nextInt(1_000_000 / leak);
                now += pause;
                level = Math.max(0, level - pause * leak);
                long permits = 1 + random.nextInt(3);
                boolean fits = level + permits * 1_000_000L <= capacity * 1_000_000L;
                Step<RedisPermits> step = meter.step(state, now, Request.take(permits, 0));
                assertThat(step.verdict().isGranted())
                        .as("request %s of %s; %s", i, meter, Seed.hint())
                        .isEqualTo(fits);
                level += fits ? permits * 1_000_000L : 0;
                state = step.state();
            }
        }
    }

    @Test
    void a_meter_has_its_capacity_at_any_rate() {
        for (int i = 0; i < 20_000; i++) {
            double leak = Math.pow(10, -1 + 10 * random.nextDouble());
            long capacity = switch (random.nextInt(3)) {
                case 0 -> 1_000_000_000_000L;
                case 1 -> 1 + random.nextInt(100);
                default -> 1 + (long) (random.nextDouble() * 1e12);
            };
            // Otherwise it is longer than a burst may be.
            if (capacity / leak <= 86_400_000) {
                TokenBucket meter = LeakyBucket.meter(leak, capacity);
                assertThat(meter.capacity())
                        .as("%s at %s; %s", capacity, leak, Seed.hint())
                        .isEqualTo(capacity);
                assertThat(meter.maxPermits() - capacity).isBetween(0.0, Math.ulp(1e12));
                assertThat(meter.step(null, NOW, Request.take((int) Math.min(capacity, Integer.MAX_VALUE), 0))
                                .verdict()
                                .isGranted())
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"10, 3", "3, 7", "0.5, 2", "700000, 50", "49, 0", "1, 1"})
    void a_queue_grants_at_even_intervals(double rate, int maxWaiting) {
        TokenBucket queue = LeakyBucket.queue(rate, maxWaiting);
        List<Long> waits = new ArrayList<>();
        @Nullable RedisPermits state = null;
        Verdict decision;
        do {
            Step<RedisPermits> step = queue.step(state, NOW, Request.take(1, queue.maxWaitMicros()));
            state = step.state();
            decision = step.verdict();
            if (decision.isGranted()) {
                waits.add(decision.waitMicros());
            }
        } while (decision.isGranted());
        assertThat(waits).hasSize(1 + maxWaiting).first().isEqualTo(0L);
        for (int i = 0; i < waits.size(); i++) {
            assertThat(waits.get(i)).isEqualTo((long) Math.ceil(i * 1e6 / rate - 1e-3));
        }
        long turn = (long) Math.ceil(1e6 / rate);
        assertThat(decision.retryAfterMicros()).as("when the next has gone").isBetween(turn - 1, turn);
    }

    @Test
    void a_longer_timeout_does_not_make_the_queue_longer() {
        TokenBucket queue = LeakyBucket.queue(1, 2);
        Request patient = Request.take(1, 10_000_000);
        @Nullable RedisPermits state = null;
        for (int i = 0; i < 3; i++) {
            Step<RedisPermits> step = queue.step(state, NOW, patient);
            assertThat(step.verdict().isGranted()).isTrue();
            state = step.state();
        }
        assertThat(queue.step(state, NOW, patient).verdict().isGranted()).isFalse();
    }

    @Test
    void the_longest_queue_takes_1000_days() {
        assertThat(LeakyBucket.queue(1, 86_400_000).maxWait()).isEqualTo(Duration.ofDays(1000));
    }

    @Test
    void a_queue_of_more_than_1000_days_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeakyBucket.queue(0.001, 1_000_000))
                .withMessageContaining("maxWait must be between");
    }
}
