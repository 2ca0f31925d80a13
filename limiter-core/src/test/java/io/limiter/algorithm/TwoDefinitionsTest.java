package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * While a changed limit is on its way to all instances, limiters with the old and the new definition take turns on one state.
 * They never admit more than the larger of both allows: the larger capacity, and the larger rate.
 */
class TwoDefinitionsTest {

    private static final int ROUNDS = 200;
    private static final int STEPS = 200;

    private final Random random = Seed.random();

    @Test
    void of_a_token_bucket() {
        for (int round = 0; round < ROUNDS; round++) {
            TokenBucket one = bucket();
            TokenBucket other = random.nextBoolean() ? one.withRate(rate()) : bucket();
            double most = Math.max(one.maxPermits(), other.maxPermits());
            double rate = Math.max(one.permitsPerSecond(), other.permitsPerSecond());
            for (Run run : List.of(alternately(one, other), inRandomOrder(one, other))) {
                run.forEachInterval((permits, seconds) -> assertThat((double) permits)
                        .as(Seed.hint() + one + " and " + other + ", within " + seconds + " s")
                        .isLessThanOrEqualTo((most + rate * seconds) * (1 + 1e-9) + 1e-6));
            }
        }
    }

    /** Each reservation is cancelled under the definition that granted it. */
    @Test
    void of_a_token_bucket_with_cancellations() {
        for (int round = 0; round < 2 * ROUNDS; round++) {
            TokenBucket one = bucket();
            List<TokenBucket> both = List.of(one, random.nextBoolean() ? one.withRate(rate()) : bucket());
            double most = Math.max(both.get(0).maxPermits(), both.get(1).maxPermits());
            double rate = Math.max(both.get(0).permitsPerSecond(), both.get(1).permitsPerSecond());
            Ledger ledger = new Ledger();
            List<Reserved> reservations = new ArrayList<>();
            StringBuilder story = new StringBuilder();
            long now = 1_763_650_000_123_456L;
            RedisPermits state = null;
            for (int i = 0; i < STEPS / 2; i++) {
                now += random.nextInt(4) > 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 500_000);
                Reserved reserved = reservations.isEmpty() || random.nextInt(3) == 0
                        ? null
                        : reservations.remove(random.nextInt(reservations.size()));
                if (reserved == null) {
                    TokenBucket limit = both.get(random.nextInt(2));
                    int permits = 1 + random.nextInt(random.nextBoolean() ? 3 : (int) most);
                    long timeout = random.nextBoolean() ? 0 : random.nextInt(5_000_000);
                    Step<RedisPermits> step = limit.step(state, now, Request.take(permits, timeout));
                    state = step.state();
                    if (step.decision().granted()) {
                        Ledger.Entry due = ledger.granted(now + step.decision().waitMicros(), permits);
                        reservations.add(new Reserved(limit, permits, now, step.decision(), due));
                    }
                    story.append(now).append(" take ").append(permits).append(" at ");
                    story.append(limit.permitsPerSecond()).append(step.decision());
                } else if (now < reserved.at + reserved.decision.fullAfterMicros()) {
                    Request cancel = Request.cancel(reserved.permits, reserved.decision);
                    state = reserved.limit.step(state, now, cancel).state();
                    reserved.due.cancel();
                    story.append(now)
                            .append(" cancel ")
                            .append(reserved.permits)
                            .append(" at ");
                    story.append(reserved.limit.permitsPerSecond());
                }
                story.append("\n  ").append(state).append('\n');
            }
            assertThat(ledger.excess(most, rate))
                    .as(() -> Seed.hint() + both + "\n" + ledger + "\n" + story)
                    .isZero();
        }
    }

    private record Reserved(TokenBucket limit, int permits, long at, Decision decision, Ledger.Entry due) {}

    @Test
    void a_cancellation_keeps_stored_permits_after_a_changed_rate() {
        long now = 1_763_650_000_123_456L;
        TokenBucket fast = TokenBucket.perSecond(10).withCapacity(10);
        TokenBucket slow = fast.withRate(1);
        Step<RedisPermits> taken = slow.step(null, now, Request.take(1, 0));
        now += 100_000_000;
        RedisPermits full = fast.step(taken.state(), now, Request.take(1, 0)).state();
        RedisPermits after =
                slow.step(full, now, Request.cancel(1, taken.decision())).state();
        Request peek = Request.peek(1, 0);
        assertThat(fast.step(after, now, peek).decision().remaining())
                .isEqualTo(fast.step(full, now, peek).decision().remaining());
        // Twice as fast, the same capacity: permits, not times, are kept.
        assertThat(fast.withRate(20).step(after, now, peek).decision().remaining())
                .isEqualTo(9);
    }

    private TokenBucket bucket() {
        TokenBucket bucket = TokenBucket.perSecond(rate());
        return random.nextBoolean()
                ? bucket.withCapacity(1 + random.nextInt(50))
                : bucket.withRateAndBurst(bucket.permitsPerSecond(), Duration.ofMillis(1000 + random.nextInt(3000)));
    }

    private double rate() {
        return Math.pow(10, 2 * random.nextDouble());
    }

    @Test
    void of_a_sliding_log() {
        for (int round = 0; round < ROUNDS; round++) {
            SlidingLog one = SlidingLog.of(limit(), period());
            SlidingLog other = SlidingLog.of(limit(), random.nextBoolean() ? one.period() : period());
            inEachPeriod(one, other, Math.max(one.limit(), other.limit()), shorter(one.period(), other.period()));
        }
    }

    @Test
    void of_a_fixed_window() {
        for (int round = 0; round < ROUNDS; round++) {
            FixedWindow one = FixedWindow.of(limit(), period());
            FixedWindow other = FixedWindow.of(limit(), random.nextBoolean() ? one.period() : period());
            // A window ends and the next one begins.
            inEachPeriod(one, other, 2 * Math.max(one.limit(), other.limit()), shorter(one.period(), other.period()));
        }
    }

    @Test
    void of_a_sliding_counter() {
        for (int round = 0; round < ROUNDS; round++) {
            SlidingCounter one = SlidingCounter.of(limit(), period());
            SlidingCounter other = SlidingCounter.of(limit(), random.nextBoolean() ? one.period() : period());
            // It estimates.
            inEachPeriod(one, other, 2 * Math.max(one.limit(), other.limit()), shorter(one.period(), other.period()));
        }
    }

    private int limit() {
        return 1 + random.nextInt(30);
    }

    private Duration period() {
        return Duration.ofMillis(100 + random.nextInt(1900));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private <S> void inEachPeriod(Limit<S> one, Limit<S> other, int most, Duration period) {
        double length = period.toNanos() / 1e9;
        for (Run run : List.of(alternately(one, other), inRandomOrder(one, other))) {
            run.forEachInterval((permits, seconds) -> {
                if (seconds < length) {
                    assertThat(permits)
                            .as(Seed.hint() + one + " and " + other + ", within " + seconds + " s")
                            .isLessThanOrEqualTo(most);
                }
            });
        }
    }

    private <S> Run alternately(Limit<S> one, Limit<S> other) {
        return run(List.of(one, other), true);
    }

    private <S> Run inRandomOrder(Limit<S> one, Limit<S> other) {
        return run(List.of(one, other), false);
    }

    private <S> Run run(List<Limit<S>> limits, boolean inTurn) {
        Run run = new Run();
        long now = 1_763_650_000_123_456L;
        S state = null;
        for (int i = 0; i < STEPS; i++) {
            now += random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 200_000);
            Limit<S> limit = limits.get(inTurn ? i % 2 : random.nextInt(2));
            int permits = 1 + random.nextInt(3);
            Step<S> step = limit.step(state, now, Request.take(permits, 0));
            state = step.state();
            if (step.decision().granted()) {
                run.granted(now, permits);
            }
        }
        return run;
    }

    @FunctionalInterface
    private interface Interval {
        void admits(int permits, double seconds);
    }

    /** What was granted, and when. */
    private static final class Run {
        private final List<Long> times = new ArrayList<>();
        private final List<Integer> permits = new ArrayList<>();

        void granted(long now, int granted) {
            times.add(now);
            permits.add(granted);
        }

        void forEachInterval(Interval interval) {
            for (int from = 0; from < times.size(); from++) {
                int sum = 0;
                for (int to = from; to < times.size(); to++) {
                    sum += permits.get(to);
                    interval.admits(sum, (times.get(to) - times.get(from)) / 1e6);
                }
            }
        }
    }
}
