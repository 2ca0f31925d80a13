package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.key.address.Sender;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * What a thread knew of its request when it made a limited call, for the thread that continues the call. The request may end
 * before that, at the latest when its first dispatch returns, and servers use the objects of ended requests for other callers. So
 * the line, the headers, the address, the user and the attributes are copied, and the rest is there as long as that dispatch lasts.
 *
 * <p>A request-scoped bean is that of the request. One that is first needed after the first dispatch is destroyed when the method
 * has returned.
 */
final class RequestSnapshot extends ServletRequestAttributes {

    private final ServletRequestAttributes live;
    private final ConcurrentMap<String, Object> attributes;
    private final Map<String, Runnable> whenCalled = new LinkedHashMap<>();

    private RequestSnapshot(ServletRequestAttributes live, ConcurrentMap<String, Object> attributes) {
        // Without the response, which only the threads of the request may write.
        super(new Copy(live, attributes));
        this.live = live;
        this.attributes = attributes;
    }

    /** See {@link io.limiter.spring.internal.aop.result.CallerRequest#capture}. */
    static UnaryOperator<Runnable> capture() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current)) {
            return UnaryOperator.identity();
        }
        RequestSnapshot snapshot = current instanceof RequestSnapshot known
                ? known
                : new RequestSnapshot(current, attributesOf(current.getRequest()));
        return action -> () -> snapshot.run(action);
    }

    private static ConcurrentMap<String, Object> attributesOf(HttpServletRequest request) {
        ConcurrentMap<String, Object> attributes = new ConcurrentHashMap<>();
        for (String name : Collections.list(request.getAttributeNames())) {
            Object value = request.getAttribute(name);
            if (value != null) {
                attributes.put(name, value);
            }
        }
        return attributes;
    }

    private void run(Runnable action) {
        RequestAttributes before = RequestContextHolder.getRequestAttributes();
        RequestContextHolder.setRequestAttributes(this);
        try {
            action.run();
        } finally {
            RequestContextHolder.setRequestAttributes(before);
            List<Runnable> callbacks;
            synchronized (whenCalled) {
                callbacks = List.copyOf(whenCalled.values());
                whenCalled.keySet().forEach(attributes::remove);
                whenCalled.clear();
            }
            callbacks.forEach(Runnable::run);
        }
    }

    /** Whether the first dispatch goes on, so that the request is that of its caller. */
    private static boolean isActive(ServletRequestAttributes live) {
        try {
            live.getAttribute(RequestSnapshot.class.getName(), SCOPE_REQUEST);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public @Nullable Object getAttribute(String name, int scope) {
        if (scope != SCOPE_REQUEST) {
            return super.getAttribute(name, scope);
        }
        try {
            return live.getAttribute(name, scope);
        } catch (IllegalStateException e) {
            return attributes.get(name);
        }
    }

    @Override
    public String[] getAttributeNames(int scope) {
        return scope == SCOPE_REQUEST && !isActive(live)
                ? attributes.keySet().toArray(String[]::new)
                : super.getAttributeNames(scope);
    }

    @Override
    public void setAttribute(String name, Object value, int scope) {
        if (scope != SCOPE_REQUEST) {
            super.setAttribute(name, value, scope);
            return;
        }
        attributes.put(name, value);
        try {
            live.setAttribute(name, value, scope);
        } catch (IllegalStateException e) {
            // The snapshot alone has it.
            return;
        }
    }

    @Override
    public void removeAttribute(String name, int scope) {
        if (scope != SCOPE_REQUEST) {
            super.removeAttribute(name, scope);
            return;
        }
        attributes.remove(name);
        synchronized (whenCalled) {
            whenCalled.remove(name);
        }
        live.removeAttribute(name, scope);
    }

    @Override
    public void registerDestructionCallback(String name, Runnable callback, int scope) {
        if (scope != SCOPE_REQUEST) {
            super.registerDestructionCallback(name, callback, scope);
        } else if (isActive(live)) {
            live.registerDestructionCallback(name, callback, scope);
        } else {
            synchronized (whenCalled) {
                whenCalled.put(name, callback);
            }
        }
    }

    /** The request of a snapshot. */
    static final class Copy extends HttpServletRequestWrapper {

        private final ServletRequestAttributes live;
        private final ConcurrentMap<String, Object> attributes;
        private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private final String method;
        private final String uri;
        private final StringBuffer url;
        private final @Nullable String query;
        private final String context;
        private final String servletPath;
        private final @Nullable String pathInfo;
        private final @Nullable String address;
        private final @Nullable Sender sender;
        private final @Nullable Principal user;
        private final Cookie @Nullable [] cookies;
        private final List<Locale> locales;

        Copy(ServletRequestAttributes live, ConcurrentMap<String, Object> attributes) {
            super(untilEnded(live));
            this.live = live;
            this.attributes = attributes;
            HttpServletRequest request = live.getRequest();
            for (String name : Collections.list(request.getHeaderNames())) {
                headers.put(name, Collections.list(request.getHeaders(name)));
            }
            this.method = request.getMethod();
            this.uri = request.getRequestURI();
            this.url = request.getRequestURL();
            this.query = request.getQueryString();
            this.context = request.getContextPath();
            this.servletPath = request.getServletPath();
            this.pathInfo = request.getPathInfo();
            this.address = request.getRemoteAddr();
            this.sender = ServletKeyRequest.sender(request);
            this.user = request.getUserPrincipal();
            this.cookies = request.getCookies();
            this.locales = Collections.list(request.getLocales());
        }

        private static HttpServletRequest untilEnded(ServletRequestAttributes live) {
            HttpServletRequest request = live.getRequest();
            return (HttpServletRequest) Proxy.newProxyInstance(
                    Copy.class.getClassLoader(),
                    new Class<?>[] {HttpServletRequest.class},
                    (proxy, called, arguments) -> {
                        if (!isActive(live)) {
                            throw new IllegalStateException(called.getName() + "() is not part of the snapshot of the"
                                    + " request, whose first dispatch has ended: read it before the limited call, and"
                                    + " pass it as an argument");
                        }
                        try {
                            return called.invoke(request, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Nullable
        Sender sender() {
            return sender;
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return isActive(live) ? super.getAttribute(name) : attributes.get(name);
        }

        @Override
        public Enumeration<String> getAttributeNames() {
            return isActive(live)
                    ? super.getAttributeNames()
                    : Collections.enumeration(new ArrayList<>(attributes.keySet()));
        }

        @Override
        public void setAttribute(String name, @Nullable Object value) {
            if (value == null) {
                removeAttribute(name);
                return;
            }
            attributes.put(name, value);
            if (isActive(live)) {
                super.setAttribute(name, value);
            }
        }

        @Override
        public void removeAttribute(String name) {
            attributes.remove(name);
            if (isActive(live)) {
                super.removeAttribute(name);
            }
        }

        @Override
        public @Nullable String getHeader(String name) {
            List<String> values = headers.get(name);
            return values == null || values.isEmpty() ? null : values.get(0);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return Collections.enumeration(headers.getOrDefault(name, List.of()));
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            return Collections.enumeration(headers.keySet());
        }

        @Override
        public String getMethod() {
            return method;
        }

        @Override
        public String getRequestURI() {
            return uri;
        }

        @Override
        public StringBuffer getRequestURL() {
            return new StringBuffer(url);
        }

        @Override
        public @Nullable String getQueryString() {
            return query;
        }

        @Override
        public String getContextPath() {
            return context;
        }

        @Override
        public String getServletPath() {
            return servletPath;
        }

        @Override
        public @Nullable String getPathInfo() {
            return pathInfo;
        }

        @Override
        public @Nullable String getRemoteAddr() {
            return address;
        }

        @Override
        public @Nullable Principal getUserPrincipal() {
            return user;
        }

        @Override
        public @Nullable String getRemoteUser() {
            return user == null ? null : user.getName();
        }

        @Override
        public Cookie @Nullable [] getCookies() {
            return cookies;
        }

        @Override
        public Locale getLocale() {
            return locales.get(0);
        }

        @Override
        public Enumeration<Locale> getLocales() {
            return Collections.enumeration(locales);
        }
    }
}
