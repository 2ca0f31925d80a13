package io.limiter.testing;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import java.util.ArrayList;
import java.util.List;

/** One key's state, stepped by hand: the limit may change on the way, and the clock may go where it likes. */
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
        Step<S> step = limit.step(state, nowMicros, new Request(permits, timeoutMicros, false));
        state = step.state();
        return step.decision();
    }

    public Timeline<S> charge(long nowMicros, int permits) {
        state = limit.step(state, nowMicros, Request.charge(permits)).state();
        return this;
    }

    /** What {@link #ask} would answer, without taking anything. */
    public Decision peek(long nowMicros, int permits, long timeoutMicros) {
        return limit.step(state, nowMicros, new Request(permits, timeoutMicros, true))
                .decision();
    }

    /** What the limit makes of a trace's requests, as a trace again, to be compared with what was expected. */
    public List<TraceLine> replay(TraceLine... lines) {
        List<TraceLine> answered = new ArrayList<>();
        for (TraceLine line : lines) {
            answered.add(line.answered(ask(line.nowMicros(), line.permits(), line.timeoutMicros())));
        }
        return answered;
    }
}
