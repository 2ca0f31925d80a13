package io.limiter.console;

import io.limiter.console.internal.wire.Wire;
import io.limiter.console.internal.wire.WireMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/** A response of the console, ready to be sent by either web stack. */
record ConsoleResponse(HttpStatus status, Map<String, String> headers, byte[] body) {

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

    static ConsoleResponse empty(HttpStatus status) {
        return new ConsoleResponse(status, ALWAYS, EMPTY);
    }

    /** One that no cache keeps. */
    static ConsoleResponse text(HttpStatus status, String type, String text) {
        return new ConsoleResponse(status, ALWAYS, text.getBytes(StandardCharsets.UTF_8))
                .with(HttpHeaders.CONTENT_TYPE, type)
                .with(HttpHeaders.CACHE_CONTROL, "no-store");
    }

    static ConsoleResponse json(HttpStatus status, Object value) {
        return text(status, MediaType.APPLICATION_JSON_VALUE, WireMapper.text(value));
    }

    /** @param current in a conflict, the live limit that the name has */
    static ConsoleResponse problem(HttpStatus status, String detail, Wire.@Nullable Live current) {
        Wire.Problem problem = new Wire.Problem(status.getReasonPhrase(), status.value(), detail, current);
        return text(status, MediaType.APPLICATION_PROBLEM_JSON_VALUE, WireMapper.text(problem));
    }

    /** The head of a stream of events. */
    static ConsoleResponse stream() {
        return empty(HttpStatus.OK)
                .with(HttpHeaders.CACHE_CONTROL, "no-store, no-transform")
                // For nginx, which would otherwise hold the events back.
                .with("X-Accel-Buffering", "no");
    }

    ConsoleResponse with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new ConsoleResponse(status, more, body);
    }

    ConsoleResponse with(byte[] newBody) {
        return new ConsoleResponse(status, headers, newBody);
    }
}
