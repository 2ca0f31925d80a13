package io.limiter.scale;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import org.jspecify.annotations.Nullable;

/** The state of one key, and the steps of the limiter's own token bucket on it. */
final class Bucket {

    private final TokenBucket limit;
    private @Nullable RedisPermits state;

    Bucket(TokenBucket limit) {
        this.limit = limit;
    }

    Decision take(int permits, long nowMicros) {
        Step<RedisPermits> step = limit.step(state, nowMicros, Request.take(permits, 0));
        state = step.state() == null ? state : step.state();
        return step.decision();
    }

    void refund(int permits, long nowMicros) {
        state = limit.step(state, nowMicros, Request.refund(permits)).state();
    }

    /** Whole permits that can be taken now. */
    long available(long nowMicros) {
        return limit.step(state, nowMicros, Request.peek(1, 0)).decision().remaining();
    }
}
