package io.limiter.internal.backend;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.SetPart;
import java.util.List;

/**
 * The requests for one key in a batch.
 *
 * @param key the backend's key
 * @param limit its limit
 * @param requests in the order in which they are decided; at least one
 * @param <S> the type of the limit's state
 */
public record KeyRequests<S>(String key, Limit<S> limit, List<Request> requests) {

    /** The request of one part of a limit set. */
    public static <S> KeyRequests<S> of(SetPart<S> part) {
        return of(part, part.request());
    }

    /** A peek at one part of a limit set. */
    public static <S> KeyRequests<S> peek(SetPart<S> part) {
        return of(part, part.request().as(Request.Action.PEEK));
    }

    /** Another request for the key of one part of a limit set. */
    public static <S> KeyRequests<S> of(SetPart<S> part, Request request) {
        return new KeyRequests<>(part.key(), part.limit(), List.of(request));
    }

    /** A batch entry of a single request. */
    public static KeyRequests<?> of(PendingRequest pending) {
        return new KeyRequests<>(pending.key(), pending.limit(), List.of(pending.request()));
    }
}
