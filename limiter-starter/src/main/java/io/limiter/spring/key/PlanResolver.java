package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * Finds the plan of each call whose limit has plans, and whose annotation or rule names none. At most one bean of this type serves
 * limited methods and HTTP requests.
 *
 * <p>Called in the thread of the call, once for each limit, so it must be fast, must not block, and be safe for use by many threads.
 * It is not called if all callers share the permits.
 */
@FunctionalInterface
public interface PlanResolver {

    /**
     * The name of the plan, such as {@code pro}. If it is {@code null}, blank or not a plan of the limit, the limit's own definition applies. The
     * same happens if this method throws an exception, which is logged.
     */
    @Nullable
    String planOf(PlanRequest request);
}
