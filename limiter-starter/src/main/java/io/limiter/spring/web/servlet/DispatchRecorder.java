package io.limiter.spring.web.servlet;

import io.limiter.algorithm.Decision;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.LimitDecision;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.web.HeaderSet;
import io.limiter.spring.web.RequestDecisions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hears of decisions in one dispatch of a request: the first one, or one by error, forward or async. The response is
 * touched by the thread of the dispatch alone, and only until that ends, because then it may be another request's.
 * Decisions that come by other threads are in the headers when the request is dispatched again, as a result that was waited
 * for is.
 */
final class DispatchRecorder implements DecisionRecorder {

    private static final String ATTRIBUTE = DispatchRecorder.class.getName();

    private final RequestDecisions decisions;
    private final HttpServletResponse response;
    private final HeaderSet headers;
    private final @Nullable DispatchRecorder outer;
    private final Thread thread = Thread.currentThread();

    /** Only seen by the thread. */
    private boolean open = true;

    private DispatchRecorder(
            RequestDecisions decisions,
            HttpServletResponse response,
            HeaderSet headers,
            @Nullable DispatchRecorder outer) {
        this.decisions = decisions;
        this.response = response;
        this.headers = headers;
        this.outer = outer;
    }

    /** That of the current dispatch; {@code null} if none has begun. */
    static @Nullable DispatchRecorder of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof DispatchRecorder recorder ? recorder : null;
    }

    /** Begins a dispatch, in its thread. */
    static DispatchRecorder begin(HttpServletRequest request, HttpServletResponse response, HeaderSet headers) {
        DispatchRecorder outer = of(request);
        DispatchRecorder recorder = new DispatchRecorder(
                outer == null ? new RequestDecisions() : outer.decisions, response, headers, outer);
        request.setAttribute(ATTRIBUTE, recorder);
        recorder.writeHeaders();
        return recorder;
    }

    /** Ends the dispatch. Another one that it was in, as a forward is, goes on. */
    void end(HttpServletRequest request) {
        writeHeaders();
        open = false;
        if (outer != null && outer.thread == thread && outer.open) {
            request.setAttribute(ATTRIBUTE, outer);
        }
    }

    RequestDecisions decisions() {
        return decisions;
    }

    @Override
    public @Nullable Decision earlier(PermitRequest request) {
        return decisions.earlier(request, this);
    }

    @Override
    public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {
        decisions.add(rejection, parts, this);
        writeHeaders();
    }

    private void writeHeaders() {
        if (headers != HeaderSet.NONE && Thread.currentThread() == thread && open && !response.isCommitted()) {
            decisions.headers(headers).forEach((name, value) -> ResponseHeaders.set(response, name, value));
        }
    }
}
