package io.limiter.console;

import io.limiter.console.wire.Wire;
import io.limiter.console.wire.WireMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/** An answer of the console, ready to be sent by either web stack. */
record Answer(HttpStatus status, Map<String, String> headers, byte[] body) {

    private static final byte[] EMPTY = {};

    private static final Map<String, String> ALWAYS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    static Answer empty(HttpStatus status) {
        return new Answer(status, ALWAYS, EMPTY);
    }

    /** One that no cache keeps. */
    static Answer text(HttpStatus status, String type, String text) {
        return new Answer(status, ALWAYS, text.getBytes(StandardCharsets.UTF_8))
                .with(HttpHeaders.CONTENT_TYPE, type)
                .with(HttpHeaders.CACHE_CONTROL, "no-store");
    }

    static Answer json(HttpStatus status, Object value) {
        return text(status, MediaType.APPLICATION_JSON_VALUE, WireMapper.text(value));
    }

    /** @param current in a conflict, the live limit that the name has */
    static Answer problem(HttpStatus status, String detail, Wire.@Nullable Live current) {
        Wire.Problem problem = new Wire.Problem(status.getReasonPhrase(), status.value(), detail, current);
        return text(status, MediaType.APPLICATION_PROBLEM_JSON_VALUE, WireMapper.text(problem));
    }

    /** The head of a stream of events. */
    static Answer stream() {
        return empty(HttpStatus.OK)
                .with(HttpHeaders.CACHE_CONTROL, "no-store, no-transform")
                // Of nginx, which would keep the events back.
                .with("X-Accel-Buffering", "no");
    }

    Answer with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, body);
    }

    Answer with(byte[] newBody) {
        return new Answer(status, headers, newBody);
    }
}
