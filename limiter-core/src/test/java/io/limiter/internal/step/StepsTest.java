package io.limiter.internal.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Request.Action;
import io.limiter.step.Step;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StepsTest {

    private static final long START = 1_763_650_000_123_456L;
    private static final List<LimitStep<?>> LIMITS = List.of(
            TokenBucket.perSecond(7),
            TokenBucket.perSecond(700_000).withCapacity(100),
            TokenBucket.perSecond(700_000).withCapacity(1e12),
            TokenBucket.perSecond(1.0 / 3).withCapacity(5.5),
            TokenBucket.perSecond(10).withStartsFull(false),
            TokenBucket.perSecond(10).withWarmUp(Duration.ofSeconds(3)),
            TokenBucket.guava(5, Duration.ofSeconds(2)),
            FixedWindow.of(5, Duration.ofSeconds(1)));

    private final Random random = Seed.random();

    @Test
    void the_decisions_and_the_state_are_those_of_one_step_after_the_other() {
        for (LimitStep<?> limit : LIMITS) {
            for (int i = 0; i < 300; i++) {
                compare(limit);
            }
        }
    }

    @Test
    void requests_that_change_nothing_leave_the_same_state() {
        TokenBucket limit = TokenBucket.perSecond(10).withCapacity(10);
        RedisPermits empty = limit.step(null, START, Request.take(10, 0)).state();
        Steps<RedisPermits> steps = new Steps<>(limit, empty, START);
        steps.next(List.of(Request.peek(1, 0), Request.peek(1, 0), Request.take(1, 0), Request.take(1, 0)));
        assertThat(steps.state()).isSameAs(empty);
    }

    private <S> void compare(LimitStep<S> limit) {
        long now = START;
        S state = null;
        for (int batch = 0; batch < 10; batch++) {
            now += random.nextInt(4) == 0 ? 0 : random.nextInt(3_000_000);
            Steps<S> steps = new Steps<>(limit, state, now);
            for (int i = random.nextInt(8); i >= 0; i--) {
                Request request = request();
                String context = Seed.hint() + limit + " " + state + ", " + request + " at " + now;
                Step<S> expected = limit.step(state, now, request);
                assertThat(steps.next(request)).as(context).isEqualTo(expected.verdict());
                state = expected.state();
                if (random.nextBoolean()) {
                    assertThat(steps.state()).as(context).isEqualTo(state);
                }
            }
            assertThat(steps.state()).as(Seed.hint()).isEqualTo(state);
        }
    }

    private Request request() {
        long permits = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(random.nextInt(4) > 0 ? 6 : Integer.MAX_VALUE);
        long timeout = random.nextInt(5) == 0 ? random.nextInt(2_000_000) : 0;
        return switch (random.nextInt(8)) {
            case 0 -> Request.refund(permits);
            case 1 -> Request.charge(permits);
            case 2 -> Request.of(Action.PEEK, permits, timeout, 0);
            case 3 -> Request.takeUpTo(permits);
            default -> Request.take(permits, timeout);
        };
    }
}
