package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.CleanPath;
import io.limiter.spring.web.FormBody;
import io.limiter.spring.web.HttpKeyRequest;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.util.WebUtils;

/** A servlet request, as keys use it. */
final class ServletKeyRequest extends HttpKeyRequest {

    private final boolean readsForms;
    private HttpServletRequest request;

    /** @param readsForms whether the form may be read, because {@link #request()} is what is handled then */
    ServletKeyRequest(
            HttpServletRequest request, ClientAddress addresses, @Nullable CurrentUser users, boolean readsForms) {
        super(addresses, users);
        this.request = request;
        this.readsForms = readsForms;
    }

    /** The request for the handler, in which it finds a form that was read. */
    HttpServletRequest request() {
        return request;
    }

    @Override
    protected @Nullable FormBody form() {
        FormRequest known = WebUtils.getNativeRequest(request, FormRequest.class);
        if (known == null && readsForms) {
            known = FormRequest.read(request);
            request = known == null ? request : known;
        }
        return known == null ? null : known.body();
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
