package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.key.address.Sender;
import io.limiter.spring.internal.web.CleanPath;
import io.limiter.spring.internal.web.FormBody;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.util.WebUtils;

/** A servlet request, as keys use it. */
final class ServletKeyRequest extends HttpKeyRequest {

    private final Form form;
    private HttpServletRequest request;

    /** What may be done to know the form of a request. */
    enum Form {
        /**
         * It may be read, because {@link #request()} is what is handled then. If a filter has read it already, the server or that filter
         * may be asked for the parameters.
         */
        READ,
        /** The server may be asked for its parameters, because the request is handled already. */
        HANDLED,
        /** Nothing, because the request is passed on with its body. */
        PASSED_ON
    }

    ServletKeyRequest(HttpServletRequest request, ClientAddress addresses, @Nullable CurrentUser users, Form form) {
        super(addresses, users);
        this.request = request;
        this.form = form;
    }

    /** The request for the handler, in which it finds a form that was read. */
    HttpServletRequest request() {
        return request;
    }

    @Override
    protected @Nullable String ofForm(String name) {
        FormRequest known = WebUtils.getNativeRequest(request, FormRequest.class);
        if (known == null && form == Form.READ) {
            known = FormRequest.read(request);
            request = known == null ? request : known;
        }
        if (known != null) {
            return known.body().first(name);
        }
        return form != Form.PASSED_ON && FormBody.isReadable(request.getContentType(), request.getContentLengthLong())
                ? behindQuery(name)
                : null;
    }

    /** The values of the query come before those of the form. */
    private @Nullable String behindQuery(String name) {
        String[] values = request.getParameterValues(name);
        int ofQuery = FormBody.count(query(), name);
        return values == null || values.length <= ofQuery ? null : values[ofQuery];
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
    protected @Nullable Sender sender() {
        return sender(request);
    }

    /** Reads the request below what filters have put around it, or the snapshot of one that may have ended. */
    static @Nullable Sender sender(HttpServletRequest request) {
        ServletRequest sent = request;
        while (sent instanceof ServletRequestWrapper wrapper) {
            if (sent instanceof RequestSnapshot.Copy copy) {
                return copy.sender();
            }
            sent = wrapper.getRequest();
        }
        return sent instanceof HttpServletRequest http
                ? new Sender(
                        http.getRemoteAddr(),
                        lines(http, Sender.X_FORWARDED_FOR),
                        lines(http, Sender.FORWARDED),
                        Sender.isPassedOn(Collections.list(http.getHeaderNames())))
                : null;
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
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
