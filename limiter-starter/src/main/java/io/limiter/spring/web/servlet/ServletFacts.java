package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.CleanPath;
import io.limiter.spring.web.HttpRequestFacts;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** What the key of a servlet request can be made of. */
final class ServletFacts extends HttpRequestFacts {

    private final HttpServletRequest request;

    ServletFacts(HttpServletRequest request, ClientAddress addresses, @Nullable CurrentUser users) {
        super(addresses, users);
        this.request = request;
    }

    /** Not by Spring's own look-up, which returns the path within the servlet, and fails where slashes are ahead. */
    @Override
    protected PathContainer written() {
        String path = request.getRequestURI();
        String context = request.getContextPath();
        return PathContainer.parsePath(path.startsWith(context) ? path.substring(context.length()) : path);
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        String understood = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        return understood.isEmpty() ? CleanPath.of(written()) : CleanPath.of(understood);
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        Cookie[] cookies = request.getCookies();
        for (int i = 0; cookies != null && i < cookies.length; i++) {
            if (cookies[i].getName().equals(name)) {
                return cookies[i].getValue();
            }
        }
        return null;
    }

    @Override
    protected @Nullable String query() {
        return request.getQueryString();
    }
}
