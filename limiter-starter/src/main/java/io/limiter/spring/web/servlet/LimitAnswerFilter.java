package io.limiter.spring.web.servlet;

import io.limiter.spring.web.RejectionResponses;
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
 * Adds the headers of limits in each dispatch of a request, and says when its response is done. It also responds to rejections
 * that other filters and servlets throw.
 */
public final class LimitAnswerFilter implements Filter {

    private final ServletRejectionResponses responses;

    public LimitAnswerFilter(ServletRejectionResponses responses) {
        this.responses = responses;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (!(anyRequest instanceof HttpServletRequest request)
                || !(anyResponse instanceof HttpServletResponse response)) {
            chain.doFilter(anyRequest, anyResponse);
            return;
        }
        DispatchRecorder recorder = DispatchRecorder.begin(request, response, responses.headers());
        boolean responded = false;
        try {
            chain.doFilter(request, response);
            responded = true;
        } catch (IOException | ServletException | RuntimeException e) {
            RuntimeException rejection = RejectionResponses.rejection(e);
            // The handler that forwards may catch it.
            boolean inner = request.getDispatcherType() == DispatcherType.FORWARD;
            if (rejection == null || inner || response.isCommitted()) {
                throw e;
            }
            responses.write(rejection, request, response);
            responded = true;
        } finally {
            recorder.end(request);
            // Not done after a forward, and if another dispatch or thread goes on.
            if (request.getDispatcherType() != DispatcherType.FORWARD && !request.isAsyncStarted()) {
                // If an exception leaves all filters, the server answers with an error, unless the status has been
                // sent.
                recorder.decisions()
                        .done(
                                responded || response.isCommitted()
                                        ? response.getStatus()
                                        : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            }
        }
    }
}
