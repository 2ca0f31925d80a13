package io.limiter.spring.web.servlet;

import io.limiter.LimiterBackendException;
import io.limiter.spring.check.Rejection;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.web.HttpRules;
import io.limiter.spring.web.servlet.ServletKeyRequest.Form;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Applies limits to each HTTP request once, before it is handled. Forwards, error pages and async dispatches are the same
 * request.
 */
public final class HttpLimitFilter implements Filter {

    private final HttpRules rules;
    private final ClientAddress addresses;
    private final @Nullable CurrentUser users;
    private final ServletRejectionResponses responses;
    private final String done;

    /**
     * @param name of this filter; limits of filters with one name are applied once
     * @param users {@code null} if the application has no users
     */
    public HttpLimitFilter(
            String name,
            HttpRules rules,
            ClientAddress addresses,
            @Nullable CurrentUser users,
            ServletRejectionResponses responses) {
        this.rules = rules;
        this.addresses = addresses;
        this.users = users;
        this.responses = responses;
        this.done = HttpLimitFilter.class.getName() + "." + name;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (anyRequest instanceof HttpServletRequest request
                && anyResponse instanceof HttpServletResponse response
                && request.getDispatcherType() == DispatcherType.REQUEST
                && request.getAttribute(done) == null) {
            request.setAttribute(done, true);
            ServletKeyRequest keyRequest = new ServletKeyRequest(request, addresses, users, Form.READ);
            RuntimeException rejection = rejection(keyRequest, response);
            if (rejection != null) {
                // Tomcat 11 and Undertow close the body with the response.
                Uploads.read(request);
                responses.write(rejection, request, response);
                return;
            }
            chain.doFilter(keyRequest.request(), anyResponse);
            return;
        }
        chain.doFilter(anyRequest, anyResponse);
    }

    /**
     * Applies the limits to a request, as often as it is called. Binds it to the thread, where {@link ClientAddress} and
     * {@link CurrentUser} find it.
     *
     * @return what the request is to be answered with; {@code null} if the limits grant
     */
    public @Nullable RuntimeException rejection(HttpServletRequest request, HttpServletResponse response) {
        return rejection(new ServletKeyRequest(request, addresses, users, Form.PASSED_ON), response);
    }

    private @Nullable RuntimeException rejection(ServletKeyRequest keyRequest, HttpServletResponse response) {
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
