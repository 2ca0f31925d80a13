package io.limiter.spring.web.servlet;

import io.limiter.spring.web.Answer;
import io.limiter.spring.web.AnswerWriter;
import io.limiter.spring.web.Answers;
import io.limiter.spring.web.RequestDecisions;
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

/** Writes {@link Answers} to servlet responses. Safe for use by many threads. */
public final class ServletAnswers extends AnswerWriter {

    private static final Logger log = LoggerFactory.getLogger(ServletAnswers.class);

    private final Function<HttpServletRequest, Locale> locales;

    /** @param locales finds the locale of a request, also before Spring MVC handles it */
    public ServletAnswers(Answers answers, Function<HttpServletRequest, Locale> locales) {
        super(answers);
        this.locales = locales;
    }

    /**
     * Answers a rejected request. Writes nothing if the response is already committed.
     *
     * @param rejection see {@link Answers#of}
     */
    void write(RuntimeException rejection, HttpServletRequest request, HttpServletResponse response) {
        if (response.isCommitted()) {
            log.debug("Rejected a request whose response is already committed");
            return;
        }
        DispatchRecorder recorder = DispatchRecorder.of(request);
        RequestDecisions decisions = recorder == null ? null : recorder.decisions();
        try {
            write(answer(rejection, decisions, locales.apply(request), path(request)), response);
        } catch (IOException e) {
            log.debug("The caller of a rejected request did not wait for the answer", e);
        }
    }

    private static void write(Answer answer, HttpServletResponse response) throws IOException {
        response.resetBuffer();
        response.setStatus(answer.status());
        answer.headers().forEach((name, value) -> ResponseHeaders.set(response, name, value));
        if (answer.contentType() != null) {
            response.setContentType(answer.contentType());
        }
        ServletOutputStream bytes;
        try {
            bytes = response.getOutputStream();
        } catch (IllegalStateException e) {
            // The handler uses the writer, and a response has only one of the two.
            writeCharacters(answer, response);
            return;
        }
        response.setContentLength(answer.body().length);
        bytes.write(answer.body());
    }

    /** In the character set of the writer, which cannot be changed any more and may have few characters. */
    private static void writeCharacters(Answer answer, HttpServletResponse response) throws IOException {
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (MediaType.APPLICATION_PROBLEM_JSON_VALUE.equals(answer.contentType())) {
            text = escaped(text);
        }
        response.setContentLength(text.getBytes(response.getCharacterEncoding()).length);
        response.getWriter().write(text);
    }

    /** The same JSON in ASCII; other characters are only in its strings. */
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

    /** The path that the caller asked for, which is not that of an error page. */
    private static String path(HttpServletRequest request) {
        Object original = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        original = original == null ? request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) : original;
        return original == null ? request.getRequestURI() : original.toString();
    }
}
