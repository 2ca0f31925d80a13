package io.limiter.testing;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import java.util.ArrayList;
import java.util.List;

/** The state of one key, stepped by hand, with a limit and a clock that may change between steps. */
public final class Timeline<S> {

    private Limit<S> limit;
    private S state;

    public Timeline(Limit<S> limit) {
        this.limit = limit;
    }

    public S state() {
        return state;
    }

    public Timeline<S> state(S newState) {
        state = newState;
        return this;
    }

    public Timeline<S> limit(Limit<S> newLimit) {
        limit = newLimit;
        return this;
    }

    public Decision ask(long nowMicros, int permits, long timeoutMicros) {
        Step<S> step = limit.step(state, nowMicros, Request.take(permits, timeoutMicros));
        state = step.state();
        return step.decision();
    }

    public Timeline<S> charge(long nowMicros, int permits) {
        state = limit.step(state, nowMicros, Request.charge(permits)).state();
        return this;
    }

    /** What {@link #ask} would answer, without taking anything. */
    public Decision peek(long nowMicros, int permits, long timeoutMicros) {
        return limit.step(state, nowMicros, Request.peek(permits, timeoutMicros))
                .decision();
    }

    /** Replays the requests of a trace; returns a trace of the decisions, to compare with the expected one. */
    public List<TraceLine> replay(TraceLine... lines) {
        List<TraceLine> answered = new ArrayList<>();
        for (TraceLine line : lines) {
            answered.add(line.answered(ask(line.nowMicros(), line.permits(), line.timeoutMicros())));
        }
        return answered;
    }
}
