package io.limiter.spring.web.servlet;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/** Sets and removes headers of servlet responses. */
final class ResponseHeaders {

    private ResponseHeaders() {}

    /** @param value {@code null} to remove the header */
    static void set(HttpServletResponse response, String name, @Nullable String value) {
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
