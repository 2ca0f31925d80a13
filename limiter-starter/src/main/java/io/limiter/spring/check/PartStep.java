package io.limiter.spring.check;

import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes the permits of one limit. */
final class PartStep extends CheckStep<Decision> {

    private final CheckPart part;

    PartStep(CheckPart part) {
        super(part.limit());
        this.part = part;
    }

    @Override
    Decision decide() {
        if (part.earlier() != null) {
            return part.earlier();
        }
        Limiter view = part.view();
        int permits = part.request().permits();
        return view instanceof RateLimiter rates ? rates.decide(permits, part.timeout()) : view.decide(permits);
    }

    @Override
    CompletableFuture<Decision> decideAsync() {
        if (part.earlier() != null) {
            return CompletableFuture.completedFuture(part.earlier());
        }
        Limiter view = part.view();
        int permits = part.request().permits();
        return view instanceof RateLimiter rates
                ? rates.async().decide(permits, part.timeout())
                : view.async().decide(permits);
    }

    /** Reserves the permits, so that no timer waits until they are due. */
    @Override
    CompletableFuture<Decision> decideInShadow() {
        if (!(part.view() instanceof RateLimiter rates)) {
            return decideAsync();
        }
        return rates.async().reserve(part.request().permits(), part.timeout()).thenApply(Reservation::decision);
    }

    @Override
    @Nullable
    Decision rejectionIn(Decision decided) {
        return decided.granted() ? null : decided;
    }

    @Override
    List<LimitDecision> decisionsIn(Decision decided) {
        return List.of(part.decided(decided));
    }

    @Override
    Rejection rejection(Decision decided, Decision rejection) {
        return part.rejection(rejection);
    }

    @Override
    void refund(Decision decided) {
        part.refund(decided);
    }
}
