package io.limiter.spring.check;

import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import java.time.Duration;
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
        String key = part.request().key();
        int permits = part.request().permits();
        return key == null ? part.limiter().decide(permits) : part.limiter().decide(key, permits);
    }

    @Override
    CompletableFuture<Decision> decideAsync() {
        if (part.earlier() != null) {
            return CompletableFuture.completedFuture(part.earlier());
        }
        String key = part.request().key();
        int permits = part.request().permits();
        return key == null
                ? part.limiter().decideAsync(permits)
                : part.limiter().decideAsync(key, permits);
    }

    /** Reserves the permits, so that there is no timer until they are due. */
    @Override
    CompletableFuture<Decision> decideInShadow() {
        if (!(part.limiter() instanceof RateLimiter rates)) {
            return decideAsync();
        }
        String key = part.request().key();
        int permits = part.request().permits();
        Duration timeout = rates.limit().timeout();
        CompletableFuture<Reservation> reserved =
                key == null ? rates.reserveAsync(permits, timeout) : rates.reserveAsync(key, permits, timeout);
        return reserved.thenApply(Reservation::decision);
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
