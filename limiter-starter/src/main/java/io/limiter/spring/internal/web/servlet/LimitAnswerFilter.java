package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.internal.web.RequestRecord;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the headers of limits in each dispatch of a request, and says when its response is done. It also responds to rejections
 * that other filters and servlets throw.
 */
public final class LimitAnswerFilter implements Filter {

    private static final Logger log = LoggerFactory.getLogger(LimitAnswerFilter.class);

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
            if (request.isAsyncStarted()) {
                whenComplete(request, response, recorder.record());
            } else if (request.getDispatcherType() != DispatcherType.FORWARD) {
                if (!responded) {
                    recorder.record().brokeOff();
                }
                // If an exception leaves all filters, the server answers with an error, unless the status has been
                // sent.
                done(
                        recorder.record(),
                        response,
                        responded || response.isCommitted()
                                ? response.getStatus()
                                : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            }
        }
    }

    private static void done(RequestRecord record, HttpServletResponse response, int status) {
        record.done(status, response::getHeader);
        record.bodyEnded(true);
    }

    /** A servlet may complete the response itself, so that no other dispatch follows. */
    private static void whenComplete(HttpServletRequest request, HttpServletResponse response, RequestRecord record) {
        try {
            request.getAsyncContext().addListener(new WhenComplete(response, record));
        } catch (IllegalStateException e) {
            // Another thread has completed it in between, or dispatches it.
            log.debug("The async request has ended before its limits could be settled", e);
        }
    }

    private record WhenComplete(HttpServletResponse response, RequestRecord record) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            done(record, response, response.getStatus());
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {
            // It has removed the listeners.
            event.getAsyncContext().addListener(this);
        }
    }
}
