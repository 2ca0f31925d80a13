package io.limiter.spring.actuate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.limiter.LimiterBackendException;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.LiveConflictException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.codec.DecodingException;
import org.springframework.http.converter.HttpMessageNotReadableException;

/** What the endpoint says of requests that are wrong or fail. */
public final class EndpointProblems {

    private static final EndpointId ID = EndpointId.of("limiters");
    private static final int STATUS_CONFLICT = 409;

    private EndpointProblems() {}

    /** Rejects parameters that an operation of this endpoint does not have; Spring Boot ignores them. */
    public static OperationInvoker checked(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker operation) {
        return endpoint.equals(ID) && parameters.hasParameters()
                ? request -> {
                    Object rejected = answered(() -> {
                        LiveRequest.checkNames(request, parameters);
                        return null;
                    });
                    return rejected == null ? operation.invoke(request) : rejected;
                }
                : operation;
    }

    /** Adds a status and a problem to failures; Spring Boot's own response does not show the message by default. */
    static @Nullable Object answered(Supplier<@Nullable Object> answer) {
        try {
            return answer.get();
        } catch (LiveConflictException e) {
            return new WebEndpointResponse<>(
                    new Conflict(
                            String.valueOf(e.getMessage()),
                            e.current().map(LimitDefinition::of).orElse(null)),
                    STATUS_CONFLICT);
        } catch (IllegalArgumentException e) {
            return problem(String.valueOf(e.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LimiterBackendException e) {
            return problem(e.problem(), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    /** @param current the live limit that the name has; {@code null} if it has none */
    record Conflict(String problem, @Nullable Map<String, @Nullable Object> current) {}

    private static WebEndpointResponse<Map<String, String>> problem(String problem, int status) {
        return new WebEndpointResponse<>(Map.of("problem", problem), status);
    }

    /**
     * The answer to a request whose body cannot be read, for servlets and WebFlux. Its status is 400.
     *
     * @param handler of the request; {@code null} if there is none
     * @return the body, in JSON; {@code null} if the request is not to this endpoint, or something else has failed
     */
    public static byte @Nullable [] unreadable(@Nullable Object handler, Throwable failure) {
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
