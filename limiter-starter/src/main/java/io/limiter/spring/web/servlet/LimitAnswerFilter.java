package io.limiter.spring.web.servlet;

import io.limiter.spring.web.Answers;
import io.limiter.spring.web.HeaderSet;
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
 * Sees to it that answers tell of limits, in each dispatch of a request, and answers the refusals that nobody else did:
 * those of servlets and filters that are not Spring MVC's.
 */
public final class LimitAnswerFilter implements Filter {

    private final ServletAnswers answers;
    private final HeaderSet headers;

    public LimitAnswerFilter(ServletAnswers answers, HeaderSet headers) {
        this.answers = answers;
        this.headers = headers;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (!(anyRequest instanceof HttpServletRequest request)
                || !(anyResponse instanceof HttpServletResponse response)) {
            chain.doFilter(anyRequest, anyResponse);
            return;
        }
        DispatchRecorder recorder = DispatchRecorder.begin(request, response, headers);
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            RuntimeException refusal = Answers.refusal(e);
            // What is forwarded to is part of a handler, which may know what to do.
            boolean inner = request.getDispatcherType() == DispatcherType.FORWARD;
            if (refusal == null || inner || !answers.write(refusal, request, response)) {
                throw e;
            }
        } finally {
            recorder.end(request);
        }
    }
}
