package io.limiter.spring.check;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a check takes from one limit.
 *
 * @param earlier a rejection of an earlier check that applies to this one too; {@code null} if there is none
 */
public record CheckPart(
        CheckedLimit limit,
        Limiter limiter,
        PermitRequest request,
        @Nullable Decision earlier) {

    public CheckPart(CheckedLimit limit, Limiter limiter, PermitRequest request) {
        this(limit, limiter, request, null);
    }

    /** The same in a set. */
    LimitPart inSet() {
        String key = request.key();
        LimitPart part = key == null ? limiter.own() : limiter.on(key);
        LimitPart taken = request.permits() == 1 ? part : part.permits(request.permits());
        return request.slot() == null ? taken : taken.inSlot(request.slot());
    }

    LimitDecision decided(Decision decision) {
        return new LimitDecision(request, limiter.limit(), decision);
    }

    Rejection rejection(Decision decision) {
        String key = request.key() == null ? limiter.name() : request.key();
        return new Rejection(limit, limit.exception(key, decision), earlier != null);
    }

    /** Gives back what was granted, without waiting. If that fails, the permits stay spent. */
    void refund(Decision granted) {
        if (granted.source() == Decision.Source.POLICY) {
            // Nothing was taken.
            return;
        }
        String key = request.key();
        if (request.slot() != null) {
            CompletableFuture.runAsync(() -> LimitSet.of(inSet()).refund(1));
        } else if (key == null) {
            limiter.refundAsync(request.permits());
        } else {
            limiter.refundAsync(key, request.permits());
        }
    }
}
