package io.limiter.spring.internal.web.servlet;

import io.limiter.LimiterBackendException;
import io.limiter.spring.internal.check.Rejection;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.servlet.ServletKeyRequest.Form;
import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.web.RejectionResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Checks servlet requests by the rules that match them, as the filters of an application and of its routes do. Safe for use by many
 * threads.
 *
 * @param users {@code null} if the application has no users
 */
public record ServletChecks(
        ClientAddress addresses, @Nullable CurrentUser users, ServletRejectionResponses responses) {

    /**
     * Applies rules to a request that is passed on, as often as it is called. Binds it to the thread, where {@link ClientAddress} and
     * {@link CurrentUser} find it.
     *
     * @return what the request is to be answered with; {@code null} if the limits grant
     */
    public @Nullable RuntimeException rejection(
            HttpServletRequest request, HttpServletResponse response, HttpRules rules) {
        return rejection(keyRequest(request, Form.PASSED_ON), response, rules);
    }

    ServletKeyRequest keyRequest(HttpServletRequest request, Form form) {
        return new ServletKeyRequest(request, addresses, users, form);
    }

    @Nullable
    RuntimeException rejection(ServletKeyRequest keyRequest, HttpServletResponse response, HttpRules rules) {
        HttpServletRequest request = keyRequest.request();
        HttpRules matching = rules.matching(keyRequest);
        if (matching.isEmpty()) {
            return null;
        }
        RequestAttributes before = RequestContextHolder.getRequestAttributes();
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request, response));
        try {
            DispatchRecorder recorder = DispatchRecorder.of(request, response, responses.headers());
            Rejection rejection = matching.check(keyRequest, recorder).run().rejection();
            return rejection == null ? null : rejection.exception();
        } catch (MissingLimitKeyException | LimiterBackendException e) {
            return e;
        } finally {
            RequestContextHolder.setRequestAttributes(before);
        }
    }

    /** The answer to a rejected request. */
    public RejectionResponse answer(RuntimeException rejection, HttpServletRequest request) {
        return responses.of(rejection, request);
    }

    /** Whether the body of the response to a request is read, and must not be compressed. */
    public static boolean readsBody(HttpServletRequest request) {
        ResponseReading reading = DispatchRecorder.reading(request);
        return reading != null && reading.readsBody();
    }

    /** The response to write to, which reads its body if a rule needs that. */
    public static HttpServletResponse read(HttpServletRequest request, HttpServletResponse response) {
        return ReadResponse.of(response, DispatchRecorder.reading(request));
    }

    /**
     * Writes the headers of limits that have decided a request on another thread, such as that of a circuit breaker.
     *
     * @return {@code false} if the current thread may not, because it does not dispatch the request
     */
    public static boolean writeHeaders(HttpServletRequest request) {
        DispatchRecorder recorder = DispatchRecorder.find(request);
        return recorder == null || recorder.writeHeaders();
    }
}
