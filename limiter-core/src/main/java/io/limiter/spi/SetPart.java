package io.limiter.spi;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import java.util.List;

/**
 * What a set of limits asks of one key.
 *
 * @param key the whole key, as {@link KeySpace} makes it
 * @param limit what is allowed for it
 * @param request takes permits
 * @param <S> the type of the limit's state
 */
public record SetPart<S>(String key, Limit<S> limit, Request request) {

    public SetPart {
        if (request.action() != Request.Action.TAKE) {
            throw new IllegalArgumentException("a set takes permits, was asked to " + request.action());
        }
    }

    /** The same at a share of the limit. */
    public SetPart<S> scaled(double share) {
        return new SetPart<>(key, limit.scaled(share), request);
    }

    /** Whether it would be granted now, as a batch asks it. */
    public KeyRequests<S> toPeek() {
        return new KeyRequests<>(key, limit, List.of(request.as(Request.Action.PEEK)));
    }

    /** The same as a batch asks it. */
    public KeyRequests<S> toKeyRequests() {
        return new KeyRequests<>(key, limit, List.of(request));
    }
}
