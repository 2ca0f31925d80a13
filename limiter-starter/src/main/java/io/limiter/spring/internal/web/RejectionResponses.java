package io.limiter.spring.internal.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.Decision;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.internal.check.MessageCode;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.web.RejectionResponse;
import io.limiter.spring.web.RejectionResponseCustomizer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Creates the responses to rejected requests, the same for servlets and WebFlux. They have {@code Retry-After} in whole seconds
 * where waiting helps, and a problem body (RFC 9457) of a type of draft-ietf-httpapi-ratelimit-headers-11:
 *
 * <pre>
 *   {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests","status":429,
 *    "detail":"Too many requests, try again in 5 s","instance":"/limiter/rate","violated-policies":["search"],
 *    "retryAfterSeconds":5}
 * </pre>
 *
 * <p>The status is 503, with {@code #temporary-reduced-capacity}, if the failure policy or an internal limit rejected, and 400 if the request has no
 * key. Safe for use by many threads.
 */
public final class RejectionResponses {

    private static final AsyncLog log = AsyncLog.of(RejectionResponses.class);

    private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";
    private static final String REDUCED_CAPACITY =
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";
    /** Of an application that has no customizer. */
    public static final RejectionResponseCustomizer UNCHANGED = (rejection, response) -> response;

    private static final int MAX_CAUSES = 20;

    /** Not the application's, which is one of Jackson 3 on Spring Boot 4. */
    private final ObjectMapper json = new ObjectMapper();

    private final Settings settings;
    private final RejectionMessages messages;
    private final RejectionResponseCustomizer customizer;
    private final LogThrottle failing = new LogThrottle();
    private final LogThrottle undecided = new LogThrottle();

    /** @param messages the application's; {@code null} if it has none */
    public RejectionResponses(Settings settings, @Nullable MessageSource messages) {
        this(settings, messages, UNCHANGED);
    }

    /**
     * @param messages the application's; {@code null} if it has none
     * @param customizer changes each response
     */
    public RejectionResponses(
            Settings settings, @Nullable MessageSource messages, RejectionResponseCustomizer customizer) {
        this.settings = settings;
        this.customizer = customizer;
        this.messages = new RejectionMessages(messages);
        // Loads classes now, and not in the thread of an event loop.
        json(new Problem("", "", HttpStatus.OK.value(), "", "", List.of(), 1L));
    }

    public HeaderSet headers() {
        return settings.headers();
    }

    /** Whether {@link #of} may block: it calls the application, or looks up its messages, which may be in a file. */
    public boolean mayBlock() {
        return messages.areOfApplication() || customizer != UNCHANGED;
    }

    /**
     * The responses to rejected requests.
     */
    public static final class Settings {

        /** 429, with {@code RateLimit} headers and a problem body. */
        public static final Settings DEFAULT = new Settings(429, HeaderSet.RATELIMIT, BodyFormat.PROBLEM, "");

        private final int status;
        private final HeaderSet headers;
        private final BodyFormat body;
        private final String message;

        private Settings(int status, HeaderSet headers, BodyFormat body, String message) {
            if (status < 400 || status > 599) {
                throw new IllegalArgumentException("status must be between 400 and 599, was " + status);
            }
            this.status = status;
            this.headers = Objects.requireNonNull(headers, "headers");
            this.body = Objects.requireNonNull(body, "body");
            this.message = Objects.requireNonNull(message, "message");
        }

        /** How an application answers. */
        public static Settings of(int status, HeaderSet headers, BodyFormat body, String message) {
            return new Settings(status, headers, body, message);
        }

        /** The status for an exceeded limit, from 400 to 599. */
        public int status() {
            return status;
        }

        /** The headers of all responses. */
        public HeaderSet headers() {
            return headers;
        }

        /** The format of the body. */
        public BodyFormat body() {
            return body;
        }

        /** The detail, or the code of a message in braces; empty for the default. */
        public String message() {
            return message;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Settings that
                    && status == that.status
                    && headers.equals(that.headers)
                    && body.equals(that.body)
                    && message.equals(that.message);
        }

        @Override
        public int hashCode() {
            return Objects.hash(status, headers, body, message);
        }

        @Override
        public String toString() {
            return "Settings[status=" + status + ", headers=" + headers + ", body=" + body + ", message=" + message
                    + "]";
        }
    }

    /**
     * The body.
     *
     * @param type empty for none
     * @param policies the limits that rejected; empty if they are unknown
     * @param retryAfterSeconds {@code null} if waiting does not help, or it is unknown
     */
    record Problem(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String type,
            String title,
            int status,
            String detail,
            String instance,

            @JsonProperty("violated-policies") @JsonInclude(JsonInclude.Include.NON_EMPTY)
            List<String> policies,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long retryAfterSeconds) {}

    /**
     * The exception or its first cause that is a rejection, a failure of the backend or a missing key; {@code null} if there is
     * none. An invalid cost or condition is a missing key, whose message callers may see.
     */
    public static @Nullable RuntimeException rejection(Throwable exception) {
        Throwable cause = exception;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof InvalidLimitArgumentException invalid) {
                return invalid.forCaller();
            }
            if (isRejection(cause)) {
                return (RuntimeException) cause;
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** Whether it is an exception of the limiter itself, which {@link #rejection} finds. */
    public static boolean isRejection(Throwable exception) {
        return exception instanceof RateLimitExceededException
                || exception instanceof LimiterBackendException
                || exception instanceof MissingLimitKeyException
                || exception instanceof InvalidLimitArgumentException;
    }

    /**
     * The response to a request. If its limit could not be decided, the log says so, once a minute at most.
     *
     * @param rejection a {@link RateLimitExceededException}, a {@link LimiterBackendException} or a
     *     {@link MissingLimitKeyException}
     * @param record of the request so far; {@code null} if there are none
     * @param instance the path of the request
     */
    public RejectionResponse of(
            RuntimeException rejection, @Nullable RequestRecord record, Locale locale, String instance) {
        if (rejection instanceof LimiterBackendException) {
            log.warn(
                    undecided, "Rejected a request because its limit could not be decided: {}", rejection.getMessage());
        } else if (rejection instanceof MissingLimitKeyException) {
            log.debug("Rejected a request because it has no key: {}", rejection.getMessage());
        }
        RequestRecord soFar = record == null ? new RequestRecord(settings.headers()) : record;
        if (rejection instanceof RateLimitExceededException) {
            soFar.rejected();
        }
        Problem problem = problem(rejection, soFar, locale, instance);
        Map<String, @Nullable String> headers = new LinkedHashMap<>(soFar.headers());
        if (problem.retryAfterSeconds() != null) {
            headers.put(HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfterSeconds()));
        }
        RejectionResponse response = response(problem, headers);
        try {
            return Objects.requireNonNull(customizer.customize(rejection, response), "the customizer returned null");
        } catch (RuntimeException e) {
            log.error(failing, "The RejectionResponseCustomizer has thrown, so requests get the usual response.", e);
            return response;
        }
    }

    private RejectionResponse response(Problem problem, Map<String, @Nullable String> headers) {
        int status = problem.status();
        return switch (settings.body()) {
            case PROBLEM ->
                RejectionResponse.of(status, headers, MediaType.APPLICATION_PROBLEM_JSON_VALUE, json(problem));
            case TEXT -> {
                byte[] detail = problem.detail().getBytes(StandardCharsets.UTF_8);
                yield RejectionResponse.of(status, headers, MediaType.TEXT_PLAIN_VALUE + ";charset=UTF-8", detail);
            }
            case NONE -> RejectionResponse.of(status, headers, null, new byte[0]);
        };
    }

    private Problem problem(RuntimeException rejection, RequestRecord record, Locale locale, String instance) {
        if (rejection instanceof MissingLimitKeyException missing) {
            int status = HttpStatus.BAD_REQUEST.value();
            return new Problem("", title(status), status, detail(missing, locale), instance, List.of(), null);
        }
        RateLimitExceededException exceeded = rejection instanceof RateLimitExceededException each ? each : null;
        RequestRecord.Rejected known = exceeded == null ? null : record.answer(exceeded.decision());
        List<String> policies = known == null ? List.of() : known.policies();
        Long retryAfter = exceeded == null ? null : Quota.retryAfter(exceeded.decision());
        if (exceeded == null
                || exceeded instanceof InternalLimitExceededException
                || exceeded.decision().source() == Decision.Source.POLICY) {
            int status = HttpStatus.SERVICE_UNAVAILABLE.value();
            String detail = orEmpty(messages.find(MessageCode.UNAVAILABLE, text(retryAfter), locale));
            return new Problem(REDUCED_CAPACITY, title(status), status, detail, instance, policies, retryAfter);
        }
        int status = settings.status();
        String detail = detail(exceeded, known == null ? null : known.name(), retryAfter, locale);
        return new Problem(QUOTA_EXCEEDED, title(status), status, detail, instance, policies, retryAfter);
    }

    /** The first of the messages of the annotation, the limit, the settings and the one for all limits that the caller's language has. */
    private String detail(
            RateLimitExceededException rejection, @Nullable String limit, @Nullable Long retryAfter, Locale locale) {
        String seconds = text(retryAfter);
        String own = String.valueOf(rejection.getMessage());
        if (!own.equals(new RateLimitExceededException(rejection.limiter(), rejection.decision()).getMessage())) {
            String message = messages.literalOrCode(own, seconds, locale);
            if (message != null) {
                return message;
            }
        }
        String ofLimit = limit == null ? null : messages.find(MessageCode.EXCEEDED + "." + limit, seconds, locale);
        if (ofLimit != null) {
            return ofLimit;
        }
        String ofAll =
                settings.message().isEmpty() ? null : messages.literalOrCode(settings.message(), seconds, locale);
        if (ofAll != null) {
            return ofAll;
        }
        String code = retryAfter == null ? MessageCode.NEVER : MessageCode.EXCEEDED;
        return orEmpty(messages.find(code, seconds, locale));
    }

    /** Callers must not see methods and arguments of the application. */
    private String detail(MissingLimitKeyException missing, Locale locale) {
        return missing.isForCaller()
                ? String.valueOf(missing.getMessage())
                : orEmpty(messages.find(MessageCode.NO_KEY, "", locale));
    }

    /** The types that are written as JSON. */
    public static Class<?>[] bodies() {
        return new Class<?>[] {Problem.class};
    }

    private static String text(@Nullable Long seconds) {
        return seconds == null ? "" : Long.toString(seconds);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static String title(int status) {
        HttpStatus known = HttpStatus.resolve(status);
        return known == null ? "Rejected" : known.getReasonPhrase();
    }

    private byte[] json(Problem problem) {
        try {
            return json.writeValueAsBytes(problem);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers must have a JSON form", e);
        }
    }
}
