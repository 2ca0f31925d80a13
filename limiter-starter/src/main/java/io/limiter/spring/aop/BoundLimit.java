package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A declared limit with the limiter that carries it out. */
final class BoundLimit {

    private final DeclaredLimit declared;
    private final Limiter limiter;
    private final @Nullable DryRunLog dryRun;

    BoundLimit(DeclaredLimit declared, Limiter limiter) {
        this.declared = declared;
        this.limiter = limiter;
        this.dryRun = declared.onRefusal().enforce() ? null : new DryRunLog(declared.where(), System::nanoTime);
    }

    DeclaredLimit declared() {
        return declared;
    }

    /** Takes the permits of one call; {@code null} if it can go on. */
    @Nullable
    Refusal take(MethodInvocation call) {
        @Nullable Object[] arguments = call.getArguments();
        int permits = declared.permits().of(arguments);
        if (permits == 0) {
            return null;
        }
        String owner = declared.key().of(arguments);
        Decision decision = owner == null ? limiter.decide(permits) : limiter.decide(owner, permits);
        return decision.granted() ? null : refusal(owner, decision);
    }

    private @Nullable Refusal refusal(@Nullable String owner, Decision decision) {
        if (dryRun != null) {
            dryRun.refused(decision);
            return null;
        }
        String whose = owner == null ? limiter.name() : owner;
        String message = declared.onRefusal().message();
        return new Refusal(
                this,
                message.isEmpty()
                        ? new RateLimitExceededException(whose, decision)
                        : new RateLimitExceededException(whose, decision, message));
    }
}
