package io.limiter.internal.named;

import io.limiter.Decision;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Decides for a key that is exempt or banned, without a state and without a call to the backend. */
final class AccessEngine implements ImmediateEngine {

    private final Known access;
    private final LongSupplier untilEndMicros;

    /**
     * @param access {@link Known#EXEMPT} or {@link Known#BANNED}
     * @param untilEndMicros how long it lasts; {@link Verdict#NEVER_MICROS} if it does not end by itself
     */
    AccessEngine(Known access, LongSupplier untilEndMicros) {
        this.access = access;
        this.untilEndMicros = untilEndMicros;
    }

    @Override
    public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        return access;
    }

    @Override
    public Outcome decide(String key, LimitStep<?> limit, Request request) {
        return decide(limit, request);
    }

    @Override
    public void decide(Ask ask) {
        ask.answerEach(part -> decide(ask.limit(part), ask.request(part)));
    }

    /** Permits are neither taken nor refunded nor charged: what was taken while a key is exempt must not be refunded. */
    Outcome decide(LimitStep<?> limit, Request request) {
        boolean acquires = request.action() == Request.Action.TAKE || request.isPeek();
        if (access == Known.EXEMPT || !acquires) {
            return Outcome.granted(limit, request, Decision.Source.OVERRIDE);
        }
        // It ends when the thread that polls has seen its end.
        long untilEnd = Math.max(1, untilEndMicros.getAsLong());
        return Outcome.rejected(limit, request, untilEnd, untilEnd, Decision.Source.OVERRIDE);
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        // There is no state.
        return CompletableFuture.completedFuture(null);
    }
}
