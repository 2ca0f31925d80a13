package io.limiter.spring.web.servlet;

import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.DecisionRecorders;
import io.limiter.spring.web.HeaderSet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Finds the recorder of the servlet request that the current thread handles. */
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
            // The request has ended, and this thread inherited it.
            return null;
        }
    }
}
