package io.limiter.spring.internal.check;

import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.PlanRequest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Rule} may read of the call that it limits: the arguments of a limited method, and the request, which for a method is the
 * one in which it is called.
 */
public final class Facts {

    /** The facts of a call that nothing is known of, such as an outgoing one, which is limited by its client alone. */
    public static final Facts NONE = of(new CallerFacts(() -> null, () -> null, () -> null));

    private final @Nullable Method method;
    private final @Nullable Object[] arguments;
    private final KeyRequest request;

    private Facts(@Nullable Method method, @Nullable Object[] arguments, KeyRequest request) {
        this.method = method;
        this.arguments = arguments;
        this.request = request;
    }

    /** The facts of an HTTP request. */
    public static Facts of(KeyRequest request) {
        return new Facts(null, new Object[0], request);
    }

    /** @param caller the request in which the method is called, read only if a rule needs it */
    public static Facts of(Method method, @Nullable Object[] arguments, KeyRequest caller) {
        return new Facts(method, arguments, caller);
    }

    /** The arguments of the method; empty for a request. */
    public @Nullable Object[] arguments() {
        return arguments;
    }

    public KeyRequest request() {
        return request;
    }

    /** What a {@link io.limiter.spring.key.PlanResolver} gets. */
    PlanRequest planRequest(String limit, String key) {
        return method == null
                ? PlanRequest.ofRequest(limit, key, request)
                : PlanRequest.ofCall(limit, key, method, Collections.unmodifiableList(Arrays.asList(arguments)));
    }
}
