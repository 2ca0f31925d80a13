package io.limiter.spring.check;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import java.util.List;
import java.util.OptionalLong;

/**
 * The parts of a limit that checks need: its name, its mode, and what rejected callers get. Safe for use by many threads.
 *
 * @param countedAs the name under which statistics count its decisions: its own, or that of a plan
 * @param enforced whether it rejects; otherwise it is in shadow mode: evaluated, not enforced
 * @param internal whether it is not the caller's
 * @param message for rejected callers; empty for the default, which also replaces a message with the seconds to wait where
 *     waiting does not help
 */
public record CheckedLimit(
        LimitName name, String countedAs, boolean enforced, boolean internal, String message, RejectionLog log) {

    private static final String SECONDS = "{0}";

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
