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

    Decision take(long permits, long nowMicros) {
        Step<RedisPermits> step = limit.step(state, nowMicros, Request.take(permits, 0));
        state = step.state() == null ? state : step.state();
        return step.decision();
    }

    /** Decides any request. */
    Decision decide(Request request, long nowMicros) {
        Step<RedisPermits> step = limit.step(state, nowMicros, request);
        state = step.state();
        return step.decision();
    }
}
