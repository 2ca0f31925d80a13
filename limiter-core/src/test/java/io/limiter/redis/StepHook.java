package io.limiter.redis;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import org.jspecify.annotations.Nullable;

/** Lets something happen between the load and the save of a decision. */
final class StepHook implements Limit<RedisPermits> {

    private final Limit<RedisPermits> limit;
    private final Runnable meanwhile;
    private int times;

    /** Once. */
    StepHook(Limit<RedisPermits> limit, Runnable meanwhile) {
        this(limit, meanwhile, 1);
    }

    StepHook(Limit<RedisPermits> limit, Runnable meanwhile, int times) {
        this.limit = limit;
        this.meanwhile = meanwhile;
        this.times = times;
    }

    @Override
    public Class<RedisPermits> stateType() {
        return limit.stateType();
    }

    @Override
    public Limit<RedisPermits> scaled(double share) {
        return limit.scaled(share);
    }

    @Override
    public long capacity() {
        return limit.capacity();
    }

    @Override
    public Step<RedisPermits> step(@Nullable RedisPermits state, long nowMicros, Request request) {
        if (times-- > 0) {
            meanwhile.run();
        }
        return limit.step(state, nowMicros, request);
    }

    @Override
    public long lifetimeMillis(RedisPermits state, long nowMicros) {
        return limit.lifetimeMillis(state, nowMicros);
    }
}
