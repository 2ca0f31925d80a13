package io.limiter.spring.internal.check;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.check.InternalLimitExceededException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a rule as it is in effect for one call: with its limiter, for the plan of the call, and with the mode and the timeout that
 * live limits may have changed. Safe for use by many threads.
 *
 * @param enforced whether it rejects; otherwise it is in shadow mode: evaluated, not enforced
 * @param internal whether the limit protects the application rather than restrict the caller, who then gets a 503
 * @param message for rejected callers; empty for the default, which also replaces a message with the seconds to wait where
 *     waiting does not help
 * @param timeout how long a call waits for permits
 * @param limiter takes permits that are spent; {@code null} for a concurrency limit
 * @param leases takes permits that are held until the call is done; {@code null} for all other limits
 * @param own the limit as it is configured
 * @param limiters builds its limiters
 * @param unlimited whether the plan of the call leaves the limit out, so that headers do not show what it grants
 */
public record CallLimit(
        LimitName name,
        boolean enforced,
        boolean internal,
        String message,
        RejectionLog log,
        Duration timeout,
        @Nullable Limiter limiter,
        @Nullable ConcurrencyLimiter leases,
        AnyLimit own,
        LimiterFactory limiters,
        boolean unlimited) {

    private static final String SECONDS = "{0}";

    /**
     * This limit, whose periods are counted from the anchor of a call.
     *
     * @param anchor finds it for the time zone of the limit; {@code null} if the call has none
     */
    CallLimit from(Function<ZoneId, @Nullable LocalDate> anchor) {
        CalendarPeriod calendar = own instanceof FixedWindow window ? window.calendar() : null;
        LocalDate date = calendar == null ? null : anchor.apply(calendar.zone());
        if (calendar == null || date == null) {
            return this;
        }
        FixedWindow anchored = FixedWindow.of(own.capacity(), calendar.from(date));
        Limiter ofCall = limiters.build(name.name(), anchored);
        return new CallLimit(
                name, enforced, internal, message, log, timeout, ofCall, null, anchored, limiters, unlimited);
    }

    /** The definition of the limit. */
    public AnyLimit definition() {
        return limiter == null ? Objects.requireNonNull(leases).limit() : limiter.limit();
    }

    /** @param repeated see {@link Rejection} */
    public Rejection rejection(PermitRequest request, Decision decision, boolean repeated) {
        return new Rejection(this, exception(request.keys(), decision), repeated);
    }

    private RateLimitExceededException exception(List<String> keys, Decision decision) {
        OptionalLong seconds = decision.retryAfterSeconds();
        RateLimitExceededException plain = new RateLimitExceededException(name.name(), keys, decision);
        String text = message.isEmpty() || seconds.isEmpty() && message.contains(SECONDS)
                ? String.valueOf(plain.getMessage())
                : message.replace(SECONDS, seconds.isEmpty() ? "" : Long.toString(seconds.getAsLong()));
        return internal
                ? new InternalLimitExceededException(name.name(), keys, decision, text)
                : new RateLimitExceededException(name.name(), keys, decision, text);
    }
}
