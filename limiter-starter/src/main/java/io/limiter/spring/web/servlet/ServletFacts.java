package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.RequestFacts;
import io.limiter.spring.web.CleanPath;
import io.limiter.spring.web.QueryParameters;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * What the key of a servlet request can be made of.
 *
 * @param addresses that of the current request
 * @param users that of the current request; {@code null} if nobody knows users
 */
record ServletFacts(
        HttpServletRequest request,
        ClientAddress addresses,
        @Nullable CurrentUser users) implements RequestFacts {

    /**
     * The path within the application as the caller wrote it, by which Spring MVC goes, and as the server understands it,
     * which has no {@code ..} and no doubled slashes any more and by which other servlets go.
     */
    List<PathContainer> ways() {
        return CleanPath.ways(written(), path());
    }

    /** Not by Spring's own look-up, which is about the path within the servlet, and fails where slashes are ahead. */
    private PathContainer written() {
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
    public @Nullable String param(String name) {
        return QueryParameters.first(request.getQueryString(), name);
    }

    @Override
    public String ip() {
        return addresses.address();
    }

    @Override
    public @Nullable String user() {
        return users == null ? null : users.name();
    }
}
