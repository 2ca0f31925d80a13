package io.limiter.spi;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import java.util.List;

/**
 * What is asked of one key.
 *
 * @param key the whole key, as {@link KeySpace} makes it
 * @param limit what is allowed for it
 * @param requests in the order in which they are decided; at least one
 * @param <S> the type of the limit's state
 */
public record KeyRequests<S>(String key, Limit<S> limit, List<Request> requests) {}
