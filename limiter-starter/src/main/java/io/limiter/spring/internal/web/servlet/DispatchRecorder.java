package io.limiter.spring.internal.web.servlet;

import io.limiter.Decision;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.LimitDecision;
import io.limiter.spring.internal.check.PermitRequest;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RequestRecord;
import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.internal.web.usage.UsageReader;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the decisions of one dispatch of a request: the first one, an error, a forward or an async dispatch. Only the thread
 * of the dispatch writes headers, and only until the dispatch ends, because the server reuses responses. Decisions of other
 * threads are in the headers after the next dispatch, which an async result has.
 */
final class DispatchRecorder implements DecisionRecorder {

    private static final String ATTRIBUTE = DispatchRecorder.class.getName();

    /** A servlet does not notice that a caller has left, who would keep a thread and a place in the queue. */
    private static final Duration LONGEST_UNTIL_ITS_TURN = Duration.ofSeconds(10);

    private final RequestRecord record;
    private final HttpServletResponse response;
    private final @Nullable DispatchRecorder outer;
    private final Thread thread = Thread.currentThread();

    /** Used by the thread of the dispatch only. */
    private boolean open = true;

    private DispatchRecorder(RequestRecord record, HttpServletResponse response, @Nullable DispatchRecorder outer) {
        this.record = record;
        this.response = response;
        this.outer = outer;
    }

    /** The recorder of the current dispatch; {@code null} if none has begun. */
    static @Nullable DispatchRecorder find(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof DispatchRecorder recorder ? recorder : null;
    }

    /** What reads the response to a request; {@code null} if nothing does. */
    static @Nullable ResponseReading reading(HttpServletRequest request) {
        DispatchRecorder recorder = find(request);
        return recorder == null ? null : recorder.record.reading();
    }

    /** The recorder of the current dispatch, which begins now if none has begun. */
    static DispatchRecorder of(HttpServletRequest request, HttpServletResponse response, HeaderSet headers) {
        DispatchRecorder known = find(request);
        return known == null ? begin(request, response, headers) : known;
    }

    /** Begins a dispatch, in its thread. */
    static DispatchRecorder begin(HttpServletRequest request, HttpServletResponse response, HeaderSet headers) {
        DispatchRecorder outer = find(request);
        RequestRecord record = outer == null ? new RequestRecord(headers) : outer.record;
        DispatchRecorder recorder = new DispatchRecorder(record, response, outer);
        request.setAttribute(ATTRIBUTE, recorder);
        recorder.writeHeaders();
        return recorder;
    }

    /** Ends the dispatch. If it was a forward, the one around it goes on. */
    void end(HttpServletRequest request) {
        writeHeaders();
        open = false;
        if (outer != null && outer.thread == thread && outer.open) {
            request.setAttribute(ATTRIBUTE, outer);
        }
    }

    @Override
    public Duration timeout(Duration ofLimit) {
        return ofLimit.equals(LimitParameters.UNTIL_ITS_TURN) ? LONGEST_UNTIL_ITS_TURN : ofLimit;
    }

    RequestRecord record() {
        return record;
    }

    @Override
    public @Nullable Decision earlier(PermitRequest request) {
        return record.earlier(request, this);
    }

    @Override
    public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {
        record.add(rejection, parts, this);
        writeHeaders();
    }

    @Override
    public void cancelled(List<LimitDecision> parts) {
        record.cancelled(parts);
    }

    @Override
    public void whenDone(IntConsumer action) {
        record.whenDone(action);
    }

    @Override
    public void whenRead(List<UsageReader> readers, IntConsumer action) {
        record.whenRead(readers, action);
    }

    /** @return whether the current thread may write them */
    boolean writeHeaders() {
        boolean dispatches = Thread.currentThread() == thread && open;
        if (dispatches && !response.isCommitted()) {
            record.headers().forEach((name, value) -> setHeader(response, name, value));
        }
        return dispatches;
    }

    /** Sets a header, or removes it if the value is {@code null}. */
    static void setHeader(HttpServletResponse response, String name, @Nullable String value) {
        if (value != null) {
            response.setHeader(name, value);
        } else if (response.containsHeader(name)) {
            response.setHeader(name, null);
            // Before Servlet 6.1 no header can be removed, but an empty one is valid.
            if (response.containsHeader(name)) {
                response.setHeader(name, "");
            }
        }
    }
}
