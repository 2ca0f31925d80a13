package io.limiter.redis.own;

import io.limiter.algorithm.Limit;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One call, and no other until the pause is over. */
public record Cooldown(Duration pause) implements Limit, LimitStep<Cooldown.LastCall> {

    /** When the last call was, in microseconds since the epoch. */
    public record LastCall(double micros) {}

    @Override
    public Cooldown asStep() {
        return this;
    }

    @Override
    public Class<LastCall> stateType() {
        return LastCall.class;
    }

    @Override
    public long capacity() {
        return 1;
    }

    @Override
    public Cooldown scaled(double share) {
        return new Cooldown(Duration.ofNanos((long) (pause.toNanos() / share)));
    }

    @Override
    public String keySuffix() {
        return ":cooldown";
    }

    @Override
    public Step<LastCall> step(@Nullable LastCall state, long nowMicros, Request request) {
        double last = state == null ? -pauseMicros() : state.micros();
        double after = switch (request.action()) {
            case REFUND -> -pauseMicros();
            case CHARGE -> nowMicros;
            case TAKE, PEEK, RENEW, PREFETCH -> last;
        };
        boolean decides = request.action() == Request.Action.TAKE || request.isPeek();
        boolean granted = !decides || request.permits() == 1 && nowMicros - last >= pauseMicros();
        if (granted && request.action() == Request.Action.TAKE) {
            after = nowMicros;
        }
        long untilOver = (long) Math.max(0, pauseMicros() - (nowMicros - after));
        long retry = granted ? 0 : request.permits() > 1 ? Verdict.NEVER_MICROS : untilOver;
        boolean changed = granted && !request.isPeek();
        return Step.of(
                changed ? new LastCall(after) : state,
                granted
                        ? Verdict.granted(1, untilOver == 0 ? 1 : 0, untilOver)
                        : Verdict.rejected(1, 0, retry, untilOver));
    }

    @Override
    public long lifetimeMillis(LastCall state, long nowMicros) {
        return pause.toMillis() + 1000;
    }

    double pauseMicros() {
        return pause.toNanos() / 1000;
    }
}
