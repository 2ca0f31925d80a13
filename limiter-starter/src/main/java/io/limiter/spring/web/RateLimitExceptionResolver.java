package io.limiter.spring.web;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers a refused call with status 429, {@code Retry-After} in whole seconds where waiting helps, and a problem body
 * (RFC 9457):
 *
 * <pre>
 *   {"title":"Too Many Requests","status":429,"detail":"Too many requests, try again in 5 s",
 *    "instance":"/limiter/rate","retryAfterSeconds":5}
 * </pre>
 *
 * <p>It comes last of all resolvers, so whatever the application does with the exception itself has precedence. It also
 * answers for exceptions that a refusal caused, if nobody else does.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private static final Logger log = LoggerFactory.getLogger(RateLimitExceptionResolver.class);
    private static final int MAX_CAUSES = 20;

    /** Its own, because a Spring Boot 4 application has none of Jackson 2. */
    private final ObjectMapper json = new ObjectMapper();

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        RateLimitExceededException refusal = refusal(exception);
        if (refusal == null || response.isCommitted()) {
            return null;
        }
        try {
            answer(request, response, refusal);
        } catch (IOException e) {
            log.debug("The refused caller did not wait for the answer", e);
        }
        return new ModelAndView();
    }

    private static @Nullable RateLimitExceededException refusal(Throwable exception) {
        Throwable cause = exception;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof RateLimitExceededException refusal) {
                return refusal;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static void write(byte[] body, HttpServletResponse response) throws IOException {
        try {
            response.getOutputStream().write(body);
        } catch (IllegalStateException e) {
            // The handler has asked for the writer, and there is only one of the two.
            response.getWriter().write(new String(body, StandardCharsets.UTF_8));
        }
    }

    private void answer(HttpServletRequest request, HttpServletResponse response, RateLimitExceededException refusal)
            throws IOException {
        HttpStatus status = HttpStatus.TOO_MANY_REQUESTS;
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", status.getReasonPhrase());
        problem.put("status", status.value());
        problem.put("detail", String.valueOf(refusal.getMessage()));
        problem.put("instance", request.getRequestURI());
        refusal.decision().retryAfterSeconds().ifPresent(seconds -> {
            problem.put("retryAfterSeconds", seconds);
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
        });
        byte[] body = json.writeValueAsBytes(problem);
        response.resetBuffer();
        response.setStatus(status.value());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(body.length);
        write(body, response);
    }
}
