package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import java.util.ArrayList;
import java.util.List;

/** The state of one key, with a limit and a clock that the test may change between requests. */
public final class Timeline<S> {

    private Limit<S> limit;
    private S state;

    public Timeline(Limit<S> limit) {
        this.limit = limit;
    }

    /** Replays the requests of a trace on a new key; fails unless the decisions are those of the trace. */
    public static <S> void check(Limit<S> limit, TraceLine... trace) {
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

    public Timeline<S> limit(Limit<S> newLimit) {
        limit = newLimit;
        return this;
    }

    public Decision step(long nowMicros, Request request) {
        Step<S> step = limit.step(state, nowMicros, request);
        state = step.state();
        return step.decision();
    }

    public Decision take(long nowMicros, long permits, long timeoutMicros) {
        return step(nowMicros, Request.take(permits, timeoutMicros));
    }

    public Decision charge(long nowMicros, long permits) {
        return step(nowMicros, Request.charge(permits));
    }

    public Decision refund(long nowMicros, long permits) {
        return step(nowMicros, Request.refund(permits));
    }

    public Decision cancel(long nowMicros, long permits, Decision granted) {
        return step(nowMicros, Request.cancel(permits, granted));
    }

    /** What {@link #take} would decide, without taking permits. */
    public Decision peek(long nowMicros, long permits, long timeoutMicros) {
        return limit.step(state, nowMicros, Request.peek(permits, timeoutMicros))
                .decision();
    }
}
