package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * A call has no key to be limited by: an argument is null or blank, or there is no request or user to ask. It is
 * refused, because otherwise all such calls would share one limit, or escape it.
 *
 * <p>Spring MVC answers it with status 400, because what a key is made of comes from the caller.
 */
@ResponseStatus(HttpStatus.BAD_REQUEST)
public final class MissingLimitKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MissingLimitKeyException(String message) {
        super(message);
    }

    public MissingLimitKeyException(String message, Throwable cause) {
        super(message, cause);
    }

    private MissingLimitKeyException(String message, @Nullable Throwable cause, boolean writableStackTrace) {
        super(message, cause, false, writableStackTrace);
    }

    /**
     * For what callers send, as often as they like: without a stack trace, so that a refusal costs little. The message
     * must say which method it is.
     */
    static MissingLimitKeyException inCall(String message, @Nullable Throwable cause) {
        return new MissingLimitKeyException(message, cause, false);
    }
}
