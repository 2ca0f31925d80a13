package io.limiter.benchmark.inprocess;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What stands around the interceptor, and costs next to nothing, so that only the interceptor is measured. */
final class Stubs {

    /** The name of the limiter that rejects; all others grant. */
    static final String REJECTING = "rejecting";

    private static final Decision GRANTED = Decision.granted(1, 0, Duration.ofSeconds(1));
    private static final Decision REJECTED = Decision.rejected(1, 0, Duration.ofSeconds(1));

    private Stubs() {}

    /** Its limiters always decide the same. */
    static LimiterFactory limiters() {
        return proxy(LimiterFactory.class, (self, method, arguments) -> {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(self, method, arguments);
            }
            return method.getName().equals("build") ? limiter((String) arguments[0], (TokenBucket) arguments[1]) : self;
        });
    }

    private static RateLimiter limiter(String name, TokenBucket limit) {
        Decision answer = name.equals(REJECTING) ? REJECTED : GRANTED;
        return proxy(RateLimiter.class, (self, method, arguments) -> {
            if (method.getReturnType() == Decision.class) {
                return answer;
            }
            return switch (method.getName()) {
                case "name" -> name;
                case "limit" -> limit;
                case "key" -> Optional.empty();
                case "on" -> self;
                default -> throw new UnsupportedOperationException("no benchmark calls " + method);
            };
        });
    }

    /** A request of a user that comes by a proxy. */
    static HttpServletRequest request() {
        Principal user = () -> "alice";
        Map<String, String> headers = Map.of("X-Forwarded-For", "203.0.113.9");
        return proxy(HttpServletRequest.class, (self, method, arguments) -> switch (method.getName()) {
            case "getRemoteAddr" -> "198.51.100.7";
            case "getHeaders" -> {
                String header = headers.get((String) arguments[0]);
                yield header == null ? Collections.emptyEnumeration() : Collections.enumeration(List.of(header));
            }
            case "getUserPrincipal" -> user;
            default -> throw new UnsupportedOperationException("no benchmark calls " + method);
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Stubs.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
