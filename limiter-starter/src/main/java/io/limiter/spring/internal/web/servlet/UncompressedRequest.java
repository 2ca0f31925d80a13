package io.limiter.spring.internal.web.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * A request whose handler does not compress the response, and asks no server behind it to, because the response is read. The server
 * still may, because it knows the request itself. A handler that goes on asynchronously has the response that is read, too.
 */
final class UncompressedRequest extends HttpServletRequestWrapper {

    private static final String ENCODING = "identity";

    private final HttpServletResponse response;

    /** @param response the one that is read */
    UncompressedRequest(HttpServletRequest request, HttpServletResponse response) {
        super(request);
        this.response = response;
    }

    /** The one of the server would have its own response, below the one that is read. */
    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response);
    }

    @Override
    public @Nullable String getHeader(String name) {
        return name.equalsIgnoreCase(HttpHeaders.ACCEPT_ENCODING) ? ENCODING : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return name.equalsIgnoreCase(HttpHeaders.ACCEPT_ENCODING)
                ? Collections.enumeration(List.of(ENCODING))
                : super.getHeaders(name);
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(Collections.list(super.getHeaderNames()));
        names.add(HttpHeaders.ACCEPT_ENCODING);
        return Collections.enumeration(names);
    }
}
