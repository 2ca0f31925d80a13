package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * The arguments of a call give no cost or no condition: a cost that is negative, no whole number or null, a condition
 * that is neither true nor false. The call is rejected, because otherwise such arguments would escape the limit.
 *
 * <p>Spring MVC answers it with status 400, because the arguments come from the caller. It has no stack trace, so that a
 * rejection costs little; the message names the method and the value.
 */
@ResponseStatus(HttpStatus.BAD_REQUEST)
public final class InvalidLimitArgumentException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InvalidLimitArgumentException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }
}
