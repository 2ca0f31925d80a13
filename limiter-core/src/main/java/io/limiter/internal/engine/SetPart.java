package io.limiter.internal.engine;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.Objects;

/**
 * One part of a limit set.
 *
 * @param key the backend's key
 * @param limit its limit
 * @param request acquires permits
 * @param <S> the type of the limit's state
 */
public record SetPart<S>(String key, Limit<S> limit, Request request) {

    public SetPart {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(request, "request");
        if (request.action() != Request.Action.TAKE) {
            throw new IllegalArgumentException(
                    "the requests of a limit set must acquire permits, was " + request.action());
        }
    }

    /** This part with a share of its limit, for a local fallback. */
    public SetPart<S> scaled(double share) {
        return new SetPart<>(key, limit.scaled(share), request);
    }
}
