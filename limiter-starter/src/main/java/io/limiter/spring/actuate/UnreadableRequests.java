package io.limiter.spring.actuate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.limiter.internal.log.AsyncLog;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.codec.DecodingException;
import org.springframework.http.converter.HttpMessageNotReadableException;

/** The answer to requests to the endpoint whose body cannot be read, for servlets and WebFlux. Its status is 400. */
public final class UnreadableRequests {

    private UnreadableRequests() {}

    /**
     * @param handler of the request; {@code null} if there is none
     * @return the body, in JSON; {@code null} if the request is not to this endpoint, or something else has failed
     */
    public static byte @Nullable [] answer(@Nullable Object handler, Throwable failure) {
        Throwable unreadable = failure;
        while (unreadable != null
                && !(unreadable instanceof HttpMessageNotReadableException
                        || unreadable instanceof DecodingException)) {
            unreadable = unreadable.getCause();
        }
        // Spring Boot's handlers have no other name.
        if (unreadable == null || !String.valueOf(handler).startsWith("Actuator web endpoint 'limiters")) {
            return null;
        }
        String reason = AsyncLog.oneLine(String.valueOf(
                NestedExceptionUtils.getMostSpecificCause(unreadable).getMessage()));
        String problem = "the body must be a JSON object whose members are texts, numbers, true or false: " + reason;
        return JsonNodeFactory.instance
                .objectNode()
                .put("problem", problem)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }
}
