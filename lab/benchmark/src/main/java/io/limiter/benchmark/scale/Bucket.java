package io.limiter.benchmark.scale;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/** The state of one key, and the steps of the limiter's own token bucket on it. */
final class Bucket {

    private final TokenBucket limit;
    private @Nullable RedisPermits state;

    Bucket(TokenBucket limit) {
        this.limit = limit;
    }

    Verdict take(long permits, long nowMicros) {
        Step<RedisPermits> step = limit.step(state, nowMicros, Request.take(permits, 0));
        state = step.state() == null ? state : step.state();
        return step.verdict();
    }

    /** Decides any request. */
    Verdict decide(Request request, long nowMicros) {
        Step<RedisPermits> step = limit.step(state, nowMicros, request);
        state = step.state();
        return step.verdict();
    }
}
