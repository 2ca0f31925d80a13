package io.limiter.benchmark.scale;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import org.jspecify.annotations.Nullable;

/** The state of one key, and the steps of the limiter's own token bucket on it. */
final class Bucket {

    private final State<?> state;

    Bucket(TokenBucket limit) {
        this.state = new State<>(limit);
    }

    Decision take(int permits, long nowMicros) {
        return state.step(nowMicros, new Request(permits, 0, false));
    }

    private static final class State<S> {

        private final Limit<S> limit;
        private @Nullable S value;

        State(Limit<S> limit) {
            this.limit = limit;
        }

        Decision step(long nowMicros, Request request) {
            Step<S> step = limit.step(value, nowMicros, request);
            if (step.state() != null) {
                value = step.state();
            }
            return step.decision();
        }
    }
}
