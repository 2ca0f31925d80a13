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

/** As the other, for operators who may also reset keys. A class of its own, so that otherwise there is no such operation. */
@Endpoint(id = "limiters")
public final class WritableLimitersEndpoint extends LimitersEndpoint {

    /** As that of {@link LimitersEndpoint}. */
    public WritableLimitersEndpoint(
            LimiterFactory factory, CallTimes calls, Supplier<Stream<KnownSlots>> slots, boolean showKeys) {
        super(factory, calls, slots, showKeys);
    }

    /**
     * Forgets what is stored for a key.
     *
     * @param limit the parts of its name between slashes
     * @param key whose permits; {@code null} for the limit's own
     * @param slot where they are, if in a slot that the key alone does not decide
     */
    @DeleteOperation
    public @Nullable Object reset(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] limit,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String slot) {
        return answered(() -> {
            LimiterTotals totals = find(limit);
            if (totals == null) {
                return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
            }
            permits(totals, key, slot).reset();
            return null;
        });
    }
}
