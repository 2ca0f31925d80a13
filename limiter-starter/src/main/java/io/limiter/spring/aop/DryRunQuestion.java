package io.limiter.spring.aop;

import io.limiter.RateLimiter;
import io.limiter.Reservation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A question to a limit that refuses nobody: its permits are booked as they would be, and nobody waits for them. */
record DryRunQuestion(Question question, RateLimiter limiter) implements Asked<Reservation> {

    @Override
    public Reservation decide() {
        String owner = question.owner();
        return owner == null
                ? limiter.reserve(question.permits(), timeout())
                : limiter.reserve(owner, question.permits(), timeout());
    }

    @Override
    public CompletableFuture<Reservation> decideAsync() {
        String owner = question.owner();
        return owner == null
                ? limiter.reserveAsync(question.permits(), timeout())
                : limiter.reserveAsync(owner, question.permits(), timeout());
    }

    private Duration timeout() {
        return limiter.limit().timeout();
    }

    @Override
    public @Nullable Refusal refusal(Reservation reservation) {
        return question.refusal(reservation.decision());
    }
}
