package io.limiter.spring.internal.actuate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.limiter.LimiterBackendException;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.text.NearestName;
import io.limiter.live.LiveConflictException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.codec.DecodingException;
import org.springframework.http.converter.HttpMessageNotReadableException;

/** What the endpoints say of requests that are wrong or fail. */
public final class EndpointProblems {

    private static final Set<EndpointId> IDS = Set.of(EndpointId.of("limiters"), EndpointId.of("livelimits"));

    /** How the handlers of Spring Boot for them are named. */
    private static final Pattern HANDLER = Pattern.compile("Actuator web endpoint '(limiters|livelimits)\\b.*");

    private static final int STATUS_CONFLICT = 409;

    private EndpointProblems() {}

    /** Rejects parameters that an operation of these endpoints does not have; Spring Boot ignores them. */
    public static OperationInvoker checked(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker operation) {
        return IDS.contains(endpoint) && parameters.hasParameters()
                ? request -> {
                    Object rejected = answered(() -> {
                        checkNames(request, parameters);
                        return null;
                    });
                    return rejected == null ? operation.invoke(request) : rejected;
                }
                : operation;
    }

    /**
     * @throws IllegalArgumentException if the request has a parameter that the operation has not, or one twice, and Spring Boot
     *     would ignore it
     */
    private static void checkNames(InvocationContext request, OperationParameters parameters) {
        List<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() == String.class)
                .map(OperationParameter::getName)
                .toList();
        request.getArguments().forEach((name, value) -> {
            if (value instanceof Collection<?>) {
                throw new IllegalArgumentException("'" + name + "' is there more than once");
            }
            // What is in the path is an array, unless the request overwrites it.
            boolean inPath = value instanceof String[] || !request.canResolve(WebServerNamespace.class);
            if (!known.contains(name) && !inPath) {
                String nearest = NearestName.of(name, known)
                        .map(each -> ", did you mean " + each + "?")
                        .orElse("");
                throw new IllegalArgumentException(
                        "there is no '" + name + "'" + nearest + ": set only " + String.join(", ", known));
            }
        });
    }

    /** Adds a status and a problem to failures; Spring Boot's own response does not show the message by default. */
    public static @Nullable Object answered(Supplier<@Nullable Object> answer) {
        try {
            return answer.get();
        } catch (LiveConflictException e) {
            return new WebEndpointResponse<>(
                    new Conflict(
                            String.valueOf(e.getMessage()),
                            e.current().map(LiveDefinition::of).orElse(null)),
                    STATUS_CONFLICT);
        } catch (IllegalArgumentException e) {
            return problem(String.valueOf(e.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LimiterBackendException e) {
            return problem(e.problem(), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    /** @param current the live limit that the name has; {@code null} if it has none */
    record Conflict(String problem, @Nullable Map<String, @Nullable Object> current) {}

    /** The answer where there is nothing of a name or a key. */
    public static Object notFound(String problem) {
        return problem(problem, WebEndpointResponse.STATUS_NOT_FOUND);
    }

    private static WebEndpointResponse<Map<String, String>> problem(String problem, int status) {
        return new WebEndpointResponse<>(Map.of("problem", problem), status);
    }

    /**
     * The answer to a request whose body cannot be read, for servlets and WebFlux. Its status is 400.
     *
     * @param handler of the request; {@code null} if there is none
     * @return the body, in JSON; {@code null} if the request is to another endpoint, or something else has failed
     */
    public static byte @Nullable [] unreadable(@Nullable Object handler, Throwable failure) {
        Throwable unreadable = failure;
        while (unreadable != null
                && !(unreadable instanceof HttpMessageNotReadableException
                        || unreadable instanceof DecodingException)) {
            unreadable = unreadable.getCause();
        }
        // Spring Boot's handlers have no other name.
        if (unreadable == null || !HANDLER.matcher(String.valueOf(handler)).matches()) {
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
