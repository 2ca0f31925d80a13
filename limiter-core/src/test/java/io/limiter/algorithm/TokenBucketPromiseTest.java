package io.limiter.algorithm;

import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The times of a decision are exact to the microsecond, for random limits in random states. */
class TokenBucketPromiseTest {

    private static final int BUCKETS = 10_000;
    private static final int REQUESTS = 20;

    private final Random random = Seed.random();

    @Test
    void aRetryIsGrantedAtRetryAfterAndNotAMicrosecondBefore() {
        forRandomRequests(this::randomBucket, asked -> {
            Decision decision = asked.decision();
            if (decision.granted()) {
                asked.check(decision.retryAfterMicros() == 0, "a granted request needs no retry");
            } else if (decision.retryAfterMicros() != Decision.NEVER_MICROS) {
                long then = asked.now + decision.retryAfterMicros();
                asked.check(asked.peek(then + asked.blur).granted(), "granted at retry-after");
                asked.check(!asked.peek(then - 1 - asked.blur).granted(), "rejected when it comes back too early");
            }
        });
    }

    @Test
    void aRetryAfterOfNeverIsNeverGranted() {
        forRandomRequests(this::randomBucket, asked -> {
            Decision decision = asked.decision();
            if (decision.retryAfterMicros() == Decision.NEVER_MICROS) {
                long full = asked.now + decision.fullAfterMicros();
                asked.check(!asked.peek(full).granted(), "rejected when full");
                asked.check(!asked.peek(full + 1_000_000_000_000L).granted(), "rejected for ever after");
                asked.check(
                        !asked.peek(asked.now + random.nextLong(full - asked.now + 1))
                                .granted(),
                        "rejected before");
            }
        });
    }

    @Test
    void theWaitIsTheShortestSufficientTimeout() {
        forRandomRequests(this::randomBucket, asked -> {
            long wait = asked.decision().waitMicros();
            boolean reservable = asked.decision().granted() || asked.bucket.whoWaits() == WhoWaits.CALLER;
            if (reservable && wait <= asked.bucket.maxWaitMicros()) {
                asked.check(asked.instead(wait).granted(), "enough");
                asked.check(wait == 0 || !asked.instead(wait - 1).granted(), "no less is enough");
            }
        });
    }

    @Test
    void theRemainingPermitsAreGrantedAtOnceAndNoMore() {
        forRandomRequests(this::randomBurst, asked -> {
            asked.checkRemaining(asked.now);
            Decision decision = asked.decision();
            if (!decision.granted() && decision.retryAfterMicros() != Decision.NEVER_MICROS) {
                asked.checkRemaining(asked.now + decision.retryAfterMicros() - 1);
                asked.checkRemaining(asked.now + decision.retryAfterMicros());
            }
        });
    }

    @Test
    void theBucketIsFullAtFullAfterAndNotAMicrosecondBefore() {
        forRandomRequests(this::wholeBurst, asked -> {
            Decision decision = asked.decision();
            int all = (int) decision.limit();
            long full = asked.now + decision.fullAfterMicros();
            asked.check(asked.peek(full, all, 0).granted(), "full when promised");
            asked.check(
                    decision.fullAfterMicros() == 0
                            || !asked.peek(full - 1, all, 0).granted(),
                    "not before");
        });
    }

    private void forRandomRequests(Supplier<TokenBucket> buckets, Consumer<Asked> then) {
        for (int i = 0; i < BUCKETS; i++) {
            TokenBucket bucket = buckets.get();
            Timeline<RedisPermits> timeline = new Timeline<>(bucket);
            long now = EPOCH_MICROS + random.nextLong(1_000_000);
            for (int j = 0; j < REQUESTS; j++) {
                then.accept(new Asked(bucket, timeline, now, randomPermits(bucket), randomTimeout(bucket)));
                now += randomPause(bucket);
            }
        }
    }

    private TokenBucket randomBucket() {
        TokenBucket bucket = randomBurst();
        return switch (random.nextInt(4)) {
            case 0 -> bucket;
            case 1 -> bucket.withMaxWait(randomWait(bucket));
            case 2 -> bucket.withWhoWaits(WhoWaits.NEXT_CALLER).withMaxWait(randomWait(bucket));
            default ->
                TokenBucket.perSecond(bucket.permitsPerSecond())
                        .withWarmUp(new WarmUp(
                                Duration.of(1 + (long) (bucket.intervalMillis() * 20_000), ChronoUnit.MICROS),
                                1.1 + 9 * random.nextDouble()))
                        .withMaxWait(randomWait(bucket));
        };
    }

    private TokenBucket randomBurst() {
        return random.nextBoolean() ? wholeBurst() : brokenBurst();
    }

    /** A whole number of permits, and of microseconds per permit. */
    private TokenBucket wholeBurst() {
        double rate = random.nextBoolean() ? 1.0 / (1 + random.nextInt(1_000_000)) : 1e6 / (1 + random.nextInt(1000));
        return TokenBucket.of(rate, (1 + random.nextInt(20)) / rate);
    }

    private TokenBucket brokenBurst() {
        double rate = Math.pow(10, -6 + 12 * random.nextDouble());
        return TokenBucket.of(rate, (1 + 20 * random.nextDouble()) / rate);
    }

    private Duration randomWait(TokenBucket bucket) {
        return Duration.of((long) (random.nextDouble() * 30_000 * bucket.intervalMillis()), ChronoUnit.MICROS);
    }

    private int randomPermits(TokenBucket bucket) {
        return 1 + random.nextInt((int) (bucket.maxPermits() * 1.5));
    }

    private long randomTimeout(TokenBucket bucket) {
        return random.nextBoolean() ? 0 : (long) (random.nextDouble() * 10_000 * bucket.intervalMillis());
    }

    private long randomPause(TokenBucket bucket) {
        return random.nextBoolean() ? 0 : (long) (random.nextDouble() * 5_000 * bucket.intervalMillis());
    }

    /** A request in the state after earlier ones. */
    private static final class Asked {

        private final TokenBucket bucket;
        private final Timeline<RedisPermits> timeline;
        private final RedisPermits before;
        private final long now;
        private final int permits;
        private final long timeout;
        private final Decision decision;

        /**
         * Microseconds by which an answer may be off: a sum of doubles that lies between two microseconds can fall to
         * either of them, which is rare, but not so for permits that take hours and no whole number of microseconds.
         */
        private final long blur;

        Asked(TokenBucket bucket, Timeline<RedisPermits> timeline, long now, int permits, long timeout) {
            this.bucket = bucket;
            this.timeline = timeline;
            this.before = timeline.state();
            this.now = now;
            this.permits = permits;
            this.timeout = timeout;
            this.blur = bucket.intervalMillis() > 1000 && !isWhole(bucket.maxPermits()) ? 1 : 0;
            this.decision = timeline.ask(now, permits, timeout);
        }

        Decision decision() {
            return decision;
        }

        Decision instead(long otherTimeout) {
            return bucket.step(before, now, Request.take(permits, otherTimeout)).decision();
        }

        Decision peek(long then) {
            return peek(then, permits, timeout);
        }

        Decision peek(long then, int otherPermits, long otherTimeout) {
            return timeline.peek(then, otherPermits, otherTimeout);
        }

        void checkRemaining(long then) {
            if (blur > 0) {
                return;
            }
            int remaining = (int) bucket.step(timeline.state(), then, Request.take(Integer.MAX_VALUE, 0))
                    .decision()
                    .remaining();
            check(remaining == 0 || peek(then, remaining, 0).granted(), "what remains can be had");
            check(!peek(then, remaining + 1, 0).granted(), "no more than what remains can be had");
        }

        private static boolean isWhole(double number) {
            return Math.abs(number - Math.rint(number)) < 1e-9;
        }

        void check(boolean holds, String what) {
            assertThat(holds)
                    .as(() -> Seed.hint() + what + ": " + permits + " permits of " + bucket + " in " + before + " at "
                            + now + " within " + timeout + " us: " + decision)
                    .isTrue();
        }
    }
}
