package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The endpoint with the operation that resets keys, which must not exist if it is not allowed. */
@Endpoint(id = "limiters")
public final class WritableLimitersEndpoint extends LimitersEndpoint {

    public WritableLimitersEndpoint(
            LimiterFactory factory, CallTimes calls, Supplier<Stream<KnownHashTags>> hashTags, boolean showKeys) {
        super(factory, calls, hashTags, showKeys);
    }

    /**
     * Deletes the state of a key.
     *
     * @param limit the name, split at slashes
     * @param key {@code null} for the limit's own permits
     * @param hashTag of the permits, if the key alone does not decide it
     */
    @DeleteOperation
    public @Nullable Object reset(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] limit,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String hashTag) {
        return answered(() -> {
            LimiterTotals totals = find(limit);
            if (totals == null) {
                return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
            }
            permits(totals, key, hashTag).reset();
            return null;
        });
    }
}
