package io.limiter.algorithm;

import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Steps;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a decision says is exact, to the permit and to the microsecond, for random limits in random states. */
class DecisionPromiseTest {

    private static final int LIMITS = Steps.of(3_000);
    private static final int REQUESTS = 20;

    private final Random random = Seed.random();

    @Test
    void a_retry_is_granted_at_retry_after_and_not_a_microsecond_before() {
        forRandomRequests(this::anyLimit, request -> {
            Verdict decision = request.decision;
            if (decision.isGranted()) {
                request.check(decision.retryAfterMicros() == 0, "a granted request needs no retry");
            } else if (decision.retryAfterMicros() != Verdict.NEVER_MICROS) {
                long then = request.now + decision.retryAfterMicros();
                request.check(request.peek(then + request.blur).isGranted(), "granted at retry-after");
                request.check(!request.peek(then - 1 - request.blur).isGranted(), "rejected before");
            }
        });
    }

    @Test
    void a_request_without_retry_after_is_never_granted() {
        forRandomRequests(this::anyLimit, request -> {
            Verdict decision = request.decision;
            if (decision.retryAfterMicros() == Verdict.NEVER_MICROS) {
                long full = request.now + decision.fullAfterMicros();
                long before = request.now + random.nextLong(full - request.now + 1);
                request.check(!request.peek(before).isGranted(), "rejected before it is full");
                request.check(!request.peek(full).isGranted(), "rejected when it is full");
                request.check(!request.peek(full + 1_000_000_000_000L).isGranted(), "rejected for ever after");
            }
        });
    }

    @Test
    void a_rejection_returns_the_same_state() {
        forRandomRequests(this::anyLimit, request -> {
            boolean same = request.timeline.state() == request.before;
            request.check(same != request.decision.isGranted(), "the same state if and only if it is rejected");
        });
    }

    @Test
    void the_wait_is_the_shortest_sufficient_timeout() {
        forRandomRequests(this::anyBucket, request -> {
            long wait = request.decision.waitMicros();
            TokenBucket bucket = (TokenBucket) request.limit;
            boolean reservable = request.decision.isGranted() || bucket.whoWaits() == WhoWaits.CALLER;
            if (reservable && wait <= bucket.maxWaitMicros()) {
                request.check(request.instead(wait).isGranted(), "enough");
                request.check(wait == 0 || !request.instead(wait - 1).isGranted(), "no less is enough");
            }
        });
    }

    /** As many as one request would be granted, and what that leaves. */
    @Test
    void who_takes_fewer_permits_takes_as_many_as_there_are() {
        forRandomRequests(() -> random.nextBoolean() ? anyBurst() : anyCount(), request -> {
            long leave = random.nextBoolean() ? 0 : random.nextLong(request.limit.capacity());
            long least = 1 + random.nextLong(request.permits);
            request.checkFewer(least, random.nextBoolean() ? 0 : leave);
        });
    }

    /** Where the next caller waits, one permit is always granted that nobody waits for, and otherwise only what is stored. */
    @Test
    void who_takes_fewer_permits_gets_one_if_and_only_if_one_is_granted() {
        forRandomRequests(this::anyLimit, RandomRequest::checkOne);
    }

    @Test
    void the_remaining_permits_are_granted_and_no_more() {
        forRandomRequests(() -> random.nextBoolean() ? anyBurst() : anyCount(), request -> {
            request.checkRemaining(request.now);
            long retryAfter = request.decision.retryAfterMicros();
            if (!request.decision.isGranted() && retryAfter != Verdict.NEVER_MICROS) {
                request.checkRemaining(request.now + retryAfter - 1);
                request.checkRemaining(request.now + retryAfter);
            }
        });
    }

    @Test
    void a_limit_is_full_at_full_after_and_not_a_microsecond_before() {
        forRandomRequests(() -> random.nextBoolean() ? wholeBurst() : anyCount(), request -> {
            long all = request.decision.limit();
            long fullAfter = request.decision.fullAfterMicros();
            Verdict full = request.peek(request.now + fullAfter);
            request.check(full.remaining() == all && full.fullAfterMicros() == 0, "full at full-after");
            Verdict before = request.peek(request.now + fullAfter - 1);
            request.check(fullAfter == 0 || before.fullAfterMicros() == 1, "not before");
        });
    }

    private void forRandomRequests(Supplier<LimitStep<?>> limits, Consumer<RandomRequest<?>> then) {
        for (int i = 0; i < LIMITS; i++) {
            sendRandomRequests(limits.get(), then);
        }
    }

    private <S> void sendRandomRequests(LimitStep<S> limit, Consumer<RandomRequest<?>> then) {
        Timeline<S> timeline = new Timeline<>(limit);
        double interval = intervalMicros(limit);
        long now = EPOCH_MICROS + random.nextLong(1_000_000);
        for (int i = 0; i < REQUESTS; i++) {
            long permits = 1 + random.nextLong((long) Math.min(limit.capacity() * 1.5 + 1, Ranges.MAX_PERMITS));
            long timeout = random.nextBoolean() ? 0 : (long) (random.nextDouble() * 10 * interval);
            then.accept(new RandomRequest<>(limit, timeline, now, permits, timeout));
            now += random.nextBoolean() ? 0 : (long) (random.nextDouble() * 5 * interval);
        }
    }

    private static double intervalMicros(LimitStep<?> limit) {
        return limit instanceof TokenBucket bucket
                ? bucket.intervalMillis() * 1000
                : (double) periodMicros(limit) / Math.min(limit.capacity(), 20);
    }

    private static long periodMicros(LimitStep<?> limit) {
        return limit instanceof FixedWindow window
                ? window.periodMicros()
                : limit instanceof SlidingLog log ? log.periodMicros() : ((SlidingCounter) limit).periodMicros();
    }

    private LimitStep<?> anyLimit() {
        return random.nextBoolean() ? anyBucket() : anyCount();
    }

    /** A limit that counts grants. */
    private LimitStep<?> anyCount() {
        int few = 1 + random.nextInt(20);
        Duration period = Duration.of(
                1000 + (long) (random.nextDouble() * (random.nextBoolean() ? 1e5 : 1e12)), ChronoUnit.MICROS);
        return switch (random.nextInt(3)) {
            case 0 -> FixedWindow.of(random.nextBoolean() ? few : many(), period);
            case 1 -> SlidingLog.of(few, period);
            default -> SlidingCounter.of(random.nextBoolean() ? few : many(), period);
        };
    }

    /** Of any order of magnitude. */
    private long many() {
        return Math.max(1, (long) Math.pow(Ranges.MAX_PERMITS, random.nextDouble()));
    }

    private TokenBucket anyBucket() {
        TokenBucket bucket = anyBurst();
        return switch (random.nextInt(4)) {
            case 0 -> bucket;
            case 1 -> bucket.withMaxWait(anyWait(bucket));
            case 2 -> bucket.withWhoWaits(WhoWaits.NEXT_CALLER).withMaxWait(anyWait(bucket));
            default ->
                TokenBucket.perSecond(bucket.permitsPerSecond())
                        .withWarmUp(WarmUp.of(
                                        Duration.of(1 + (long) (bucket.intervalMillis() * 20_000), ChronoUnit.MICROS))
                                .withColdFactor(1.1 + 9 * random.nextDouble()))
                        .withMaxWait(anyWait(bucket));
        };
    }

    private TokenBucket anyBurst() {
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

    private Duration anyWait(TokenBucket bucket) {
        return Duration.of((long) (random.nextDouble() * 30_000 * bucket.intervalMillis()), ChronoUnit.MICROS);
    }

    /** A request in the state after earlier ones. */
    private static final class RandomRequest<S> {

        private final LimitStep<S> limit;
        private final Timeline<S> timeline;
        private final S before;
        private final long now;
        private final long permits;
        private final long timeout;
        private final Verdict decision;

        /**
         * Microseconds by which a time may be off: a sum of doubles that lies between two microseconds can fall to either of
         * them, which is rare, but not so for permits that take hours and no whole number of microseconds.
         */
        private final long blur;

        RandomRequest(LimitStep<S> limit, Timeline<S> timeline, long now, long permits, long timeout) {
            this.limit = limit;
            this.timeline = timeline;
            this.before = timeline.state();
            this.now = now;
            this.permits = permits;
            this.timeout = timeout;
            this.blur = limit instanceof TokenBucket bucket
                            && bucket.intervalMillis() > 1000
                            && !isWhole(bucket.maxPermits())
                    ? 1
                    : 0;
            this.decision = timeline.take(now, permits, timeout);
        }

        private static boolean isWhole(double number) {
            return Math.abs(number - Math.rint(number)) < 1e-9;
        }

        Verdict instead(long otherTimeout) {
            return limit.step(before, now, Request.take(permits, otherTimeout)).verdict();
        }

        Verdict peek(long then) {
            return timeline.peek(then, permits, timeout);
        }

        void checkFewer(long least, long leave) {
            Request request = Request.take(permits, 0).withLeast(least).withLeave(leave);
            Step<S> fewer = limit.step(before, now, request);
            long taken = fewer.verdict().takenBy(request);
            long needed = Math.max(taken, least) + leave;
            Verdict whole = take(Math.min(needed, Ranges.MAX_PERMITS)).verdict();
            check(whole.isGranted() == taken > 0, taken + " taken, at least " + least + " while leaving " + leave);
            check(taken == 0 || taken == permits || !take(needed + 1).verdict().isGranted(), taken + " and no more");
            if (taken == 0) {
                check(whole.retryAfterMicros() == fewer.verdict().retryAfterMicros(), "retry-after");
                check(fewer.state() == before, "nothing is taken");
            } else {
                check(take(taken).state().equals(fewer.state()), "what it takes is what one request takes");
                check(taken >= least && taken <= permits, "as many as it asked for");
            }
            long remaining =
                    limit.step(fewer.state(), now, Request.peek(1, 0)).verdict().remaining();
            check(fewer.verdict().remaining() == Math.max(0, remaining - leave), "remaining");
        }

        void checkOne() {
            Request request = Request.takeUpTo(permits);
            Verdict fewer = limit.step(before, now, request).verdict();
            long taken = fewer.takenBy(request);
            check(take(1).verdict().isGranted() == fewer.isGranted(), "one");
            check(!fewer.isGranted() || take(taken).verdict().isGranted(), taken + " are granted");
        }

        private Step<S> take(long many) {
            return limit.step(before, now, Request.take(many, 0));
        }

        void checkRemaining(long then) {
            if (blur > 0) {
                return;
            }
            long remaining = timeline.peek(then, Ranges.MAX_PERMITS, 0).remaining();
            check(remaining == 0 || timeline.peek(then, remaining, 0).isGranted(), "the remaining permits are granted");
            check(
                    remaining == Ranges.MAX_PERMITS
                            || !timeline.peek(then, remaining + 1, 0).isGranted(),
                    "no more than the remaining permits are granted");
        }

        void check(boolean holds, String what) {
            assertThat(holds)
                    .as(() -> Seed.hint() + what + ": " + permits + " permits of " + limit + " in " + before + " at "
                            + now + " within " + timeout + " us: " + decision)
                    .isTrue();
        }
    }
}
