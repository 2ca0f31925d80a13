package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.servlet.ServletKeyRequest.Form;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Applies rules to each HTTP request once, before it is handled. Forwards, error pages and async dispatches are the same
 * request.
 */
public final class RuleFilter implements Filter {

    private final ServletChecks checks;
    private final HttpRules rules;
    private final String done;

    /** @param name of this filter; rules of filters with one name are applied once */
    public RuleFilter(ServletChecks checks, String name, HttpRules rules) {
        this.checks = checks;
        this.rules = rules;
        this.done = RuleFilter.class.getName() + "." + name;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (anyRequest instanceof HttpServletRequest request
                && anyResponse instanceof HttpServletResponse response
                && request.getDispatcherType() == DispatcherType.REQUEST
                && request.getAttribute(done) == null) {
            request.setAttribute(done, true);
            ServletKeyRequest keyRequest = checks.keyRequest(request, Form.READ);
            RuntimeException rejection = checks.rejection(keyRequest, response, rules);
            if (rejection != null) {
                // Tomcat 11 and Undertow close the body with the response.
                Uploads.read(request);
                checks.responses().write(rejection, request, response);
                return;
            }
            HttpServletRequest passedOn = keyRequest.request();
            boolean readsBody = ServletChecks.readsBody(passedOn);
            HttpServletResponse read = ServletChecks.read(passedOn, response);
            chain.doFilter(readsBody ? new UncompressedRequest(passedOn, read) : passedOn, read);
            return;
        }
        chain.doFilter(anyRequest, anyResponse);
    }
}
