package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a limit is to be asked for one call: all that has to be found in the thread of the call.
 *
 * @param owner {@code null} if all callers share the permits
 * @param permits at least 1
 */
record Question(BoundLimit limit, Limiter limiter, @Nullable String owner, int permits) {

    CompletableFuture<Decision> decideAsync() {
        return owner == null ? limiter.decideAsync(permits) : limiter.decideAsync(owner, permits);
    }

    /** {@code null} if the call can go on. */
    @Nullable
    Refusal refusal(Decision decision) {
        return decision.granted() ? null : limit.refusal(owner, decision);
    }
}
