package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Limit;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;

/** The state of one key, with a limit and a clock that the test may change between requests. */
public final class Timeline<S> {

    private LimitStep<S> limit;
    private S state;

    public Timeline(LimitStep<S> limit) {
        this.limit = limit;
    }

    /** Replays the requests of a trace on a new key; fails unless the decisions are those of the trace. */
    public static <S> void check(LimitStep<S> limit, TraceLine... trace) {
        check(new Timeline<>(limit), trace);
    }

    /** As {@link #check(Limit, TraceLine...)}, on a key that may have been used. */
    public static <S> void check(Timeline<S> timeline, TraceLine... trace) {
        List<TraceLine> decided = new ArrayList<>();
        for (TraceLine line : trace) {
            decided.add(line.decided(timeline.take(line.nowMicros(), line.permits(), line.timeoutMicros())));
        }
        assertThat(decided).containsExactly(trace);
    }

    public S state() {
        return state;
    }

    public Timeline<S> state(S newState) {
        state = newState;
        return this;
    }

    public Timeline<S> limit(LimitStep<S> newLimit) {
        limit = newLimit;
        return this;
    }

    public Verdict step(long nowMicros, Request request) {
        Step<S> step = limit.step(state, nowMicros, request);
        state = step.state();
        return step.verdict();
    }

    public Verdict take(long nowMicros, long permits, long timeoutMicros) {
        return step(nowMicros, Request.take(permits, timeoutMicros));
    }

    public Verdict charge(long nowMicros, long permits) {
        return step(nowMicros, Request.charge(permits));
    }

    public Verdict refund(long nowMicros, long permits) {
        return step(nowMicros, Request.refund(permits));
    }

    public Verdict cancel(long nowMicros, long permits, Verdict granted) {
        return step(nowMicros, Request.cancel(permits, granted));
    }

    /** What {@link #take} would decide, without taking permits. */
    public Verdict peek(long nowMicros, long permits, long timeoutMicros) {
        return limit.step(state, nowMicros, Request.peek(permits, timeoutMicros))
                .verdict();
    }
}
