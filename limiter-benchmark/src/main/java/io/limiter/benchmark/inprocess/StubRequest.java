package io.limiter.benchmark.inprocess;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

/** A request with only what identifies a caller; reading it costs no more than reading a field. */
final class StubRequest extends HttpServletRequestWrapper {

    private static final HttpServletRequest NOTHING_ELSE = (HttpServletRequest) Proxy.newProxyInstance(
            StubRequest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    private final String remoteAddress;
    private final Map<String, List<String>> headers;
    private final Principal user = () -> "alice";

    StubRequest(String remoteAddress, Map<String, List<String>> headers) {
        super(NOTHING_ELSE);
        this.remoteAddress = remoteAddress;
        this.headers = headers;
    }

    @Override
    public String getRemoteAddr() {
        return remoteAddress;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return Collections.enumeration(headers.getOrDefault(name, List.of()));
    }

    @Override
    public Principal getUserPrincipal() {
        return user;
    }
}
