package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * The arguments of a call make its cost or condition invalid. A cost must be a whole number from 0 on, a condition true or
 * false. The call is rejected, because otherwise it would escape the limit.
 *
 * <p>Spring MVC responds with status 400, because the arguments come from the caller. The exception has no stack trace, so that
 * a rejection costs little; the message names the method and the value.
 */
@ResponseStatus(HttpStatus.BAD_REQUEST)
public final class InvalidLimitArgumentException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String sent;

    public InvalidLimitArgumentException(String message, @Nullable Throwable cause) {
        this(message, cause, "");
    }

    /** @param sent see {@link #sent} */
    public InvalidLimitArgumentException(String message, @Nullable Throwable cause, String sent) {
        super(message, cause, false, false);
        this.sent = sent;
    }

    /**
     * What the caller sent for it, such as {@code parameter n}, in words that callers may see; empty if it comes from the arguments of a
     * method.
     */
    public String sent() {
        return sent;
    }
}
