package io.limiter.spring.web.servlet;

import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.DecisionRecorders;
import io.limiter.spring.web.HeaderSet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Calls belong to the servlet request that their thread handles. */
public final class RequestRecorders implements DecisionRecorders {

    private final HeaderSet headers;

    public RequestRecorders(HeaderSet headers) {
        this.headers = headers;
    }

    @Override
    public @Nullable DecisionRecorder current() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return null;
        }
        HttpServletRequest request = attributes.getRequest();
        try {
            DispatchRecorder known = DispatchRecorder.of(request);
            HttpServletResponse response = attributes.getResponse();
            return known != null || response == null ? known : DispatchRecorder.begin(request, response, headers);
        } catch (IllegalStateException e) {
            // The request is over, and a thread that inherited it goes on: there is no answer any more.
            return null;
        }
    }
}
