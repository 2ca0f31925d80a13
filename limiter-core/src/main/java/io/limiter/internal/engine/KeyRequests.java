package io.limiter.internal.engine;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.List;

/**
 * Requests for one key: those of a batch, or the only one of a limit set.
 *
 * @param key the backend's key
 * @param limit its limit
 * @param requests in the order in which they are decided; at least one
 * @param <S> the type of the limit's state
 */
public record KeyRequests<S>(String key, LimitStep<S> limit, List<Request> requests) {

    public static <S> KeyRequests<S> of(String key, LimitStep<S> limit, Request request) {
        return new KeyRequests<>(key, limit, List.of(request));
    }

    /** The first request. */
    public Request request() {
        return requests.get(0);
    }

    /** Another request for the same key. */
    public KeyRequests<S> with(Request request) {
        return of(key, limit, request);
    }

    /** A peek instead of the first request. */
    public KeyRequests<S> peek() {
        return with(request().asPeek());
    }

    /** The same requests under a share of the limit, for a local fallback. */
    public KeyRequests<S> scaled(double share) {
        LimitStep<S> scaled = limit.scaled(share);
        return new KeyRequests<>(
                key,
                scaled,
                requests.stream()
                        .map(request -> scaled(request, share, scaled.capacity()))
                        .toList());
    }

    /** It leaves its share to others, but never all of the permits. */
    private static Request scaled(Request request, double share, long capacity) {
        return request.leave() == 0
                ? request
                : request.withLeave(Math.min(capacity - 1, (long) Math.ceil(request.leave() * share)));
    }
}
