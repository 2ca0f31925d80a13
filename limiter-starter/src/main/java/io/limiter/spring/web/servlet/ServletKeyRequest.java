package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.CleanPath;
import io.limiter.spring.web.HttpKeyRequest;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;

/** A servlet request, as keys use it. */
final class ServletKeyRequest extends HttpKeyRequest {

    private final HttpServletRequest request;

    ServletKeyRequest(HttpServletRequest request, ClientAddress addresses, @Nullable CurrentUser users) {
        super(addresses, users);
        this.request = request;
    }

    /** Spring's own method returns the path within the servlet, and fails for several slashes at the start. */
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
        String info = request.getPathInfo();
        String decoded = info == null ? request.getServletPath() : request.getServletPath() + info;
        return decoded.isEmpty() ? CleanPath.of(written()) : CleanPath.of(decoded);
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
    protected boolean isPreflight() {
        return CorsUtils.isPreFlightRequest(request);
    }

    @Override
    protected @Nullable String query() {
        return request.getQueryString();
    }
}
