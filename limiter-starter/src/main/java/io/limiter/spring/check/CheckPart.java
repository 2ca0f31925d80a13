package io.limiter.spring.check;

import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a check takes from one limit.
 *
 * @param limiter must take its first key as the hash tag if the request has a hash tag
 * @param timeout how long the call waits for the permits
 * @param earlier a rejection of an earlier check that applies to this one too; {@code null} if there is none
 */
public record CheckPart(
        CheckedLimit limit,
        Limiter limiter,
        PermitRequest request,
        Duration timeout,
        @Nullable Decision earlier) {

    public CheckPart(CheckedLimit limit, Limiter limiter, PermitRequest request, Duration timeout) {
        this(limit, limiter, request, timeout, null);
    }

    /** The limiter's view of the requested key. */
    Limiter view() {
        Limiter tagged = request.hashTag() == null ? limiter : limiter.on(request.hashTag());
        return request.key() == null ? tagged : tagged.on(request.key());
    }

    LimitDecision decided(Decision decision) {
        return new LimitDecision(request, limiter.limit(), decision);
    }

    Rejection rejection(Decision decision) {
        String key = request.key() == null ? limiter.name() : request.key();
        return new Rejection(limit, limit.exception(key, decision), earlier != null);
    }

    /** Refunds granted permits without waiting. If the refund fails, they stay spent. */
    void refund(Decision granted) {
        if (LimitDecision.isRefundable(granted.source())) {
            view().async().refund(request.permits());
        }
    }
}
