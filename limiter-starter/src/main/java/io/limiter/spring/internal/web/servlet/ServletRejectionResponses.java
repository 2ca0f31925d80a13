package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.internal.web.RequestRecord;
import io.limiter.spring.web.RejectionResponse;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;

/** Writes {@link RejectionResponses} to servlet responses. Safe for use by many threads. */
public final class ServletRejectionResponses {

    private static final Logger log = LoggerFactory.getLogger(ServletRejectionResponses.class);

    private final RejectionResponses responses;
    private final Function<HttpServletRequest, Locale> locales;

    /** @param locales finds the locale of a request, also before Spring MVC handles it */
    public ServletRejectionResponses(RejectionResponses responses, Function<HttpServletRequest, Locale> locales) {
        this.responses = responses;
        this.locales = locales;
    }

    HeaderSet headers() {
        return responses.headers();
    }

    /**
     * Answers a rejected request. Writes nothing if the response is already committed.
     *
     * @param rejection see {@link RejectionResponses#of}
     */
    public void write(RuntimeException rejection, HttpServletRequest request, HttpServletResponse response) {
        if (response.isCommitted()) {
            log.debug("Rejected a request whose response is already committed");
            return;
        }
        try {
            write(of(rejection, request), response);
        } catch (IOException e) {
            log.debug("The caller of a rejected request closed the connection before the response", e);
        }
    }

    /** The answer to a rejected request; see {@link RejectionResponses#of}. */
    public RejectionResponse of(RuntimeException rejection, HttpServletRequest request) {
        DispatchRecorder recorder = DispatchRecorder.find(request);
        RequestRecord record = recorder == null ? null : recorder.record();
        return responses.of(rejection, record, locales.apply(request), path(request));
    }

    /** Writes an answer to a response that is not committed. */
    public static void write(RejectionResponse answer, HttpServletResponse response) throws IOException {
        response.resetBuffer();
        response.setStatus(answer.status());
        answer.headers().forEach((name, value) -> DispatchRecorder.setHeader(response, name, value));
        if (answer.contentType() != null) {
            response.setContentType(answer.contentType());
        }
        ServletOutputStream bytes;
        try {
            bytes = response.getOutputStream();
        } catch (IllegalStateException e) {
            // The handler has the writer, and a response gives out only one of the two.
            writeCharacters(answer, response);
            return;
        }
        response.setContentLength(answer.body().length);
        bytes.write(answer.body());
    }

    /** Escaped, because the character set of the writer is fixed and may lack characters. */
    private static void writeCharacters(RejectionResponse answer, HttpServletResponse response) throws IOException {
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (MediaType.APPLICATION_PROBLEM_JSON_VALUE.equals(answer.contentType())) {
            text = escaped(text);
        }
        response.setContentLength(text.getBytes(response.getCharacterEncoding()).length);
        response.getWriter().write(text);
    }

    /** The JSON in ASCII. Only its strings have other characters. */
    private static String escaped(String json) {
        StringBuilder escaped = new StringBuilder(json.length());
        for (char each : json.toCharArray()) {
            if (each < 0x80) {
                escaped.append(each);
            } else {
                escaped.append(String.format("\\u%04x", (int) each));
            }
        }
        return escaped.toString();
    }

    /** The path of the caller's request, rather than of an error page or a forward. */
    private static String path(HttpServletRequest request) {
        Object original = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        original = original == null ? request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) : original;
        return original == null ? request.getRequestURI() : original.toString();
    }
}
