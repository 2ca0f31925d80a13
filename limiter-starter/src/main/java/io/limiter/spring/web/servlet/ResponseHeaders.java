package io.limiter.spring.web.servlet;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/** Sets headers of servlet responses, and takes them back. */
final class ResponseHeaders {

    private ResponseHeaders() {}

    /** @param value {@code null} to have no such header */
    static void set(HttpServletResponse response, String name, @Nullable String value) {
        if (value != null) {
            response.setHeader(name, value);
        } else if (response.containsHeader(name)) {
            response.setHeader(name, null);
            // Since Servlet 6.1 it is gone; before, nothing can take a header back, and an empty one is
            // not wrong.
            if (response.containsHeader(name)) {
                response.setHeader(name, "");
            }
        }
    }
}
