package io.limiter.spring.internal.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * A request whose handler does not compress the response, and asks no server behind it to, because the response is read. The server
 * still may, because it knows the request itself.
 */
final class UncompressedRequest extends HttpServletRequestWrapper {

    private static final String ENCODING = "identity";

    UncompressedRequest(HttpServletRequest request) {
        super(request);
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
