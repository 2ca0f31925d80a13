package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** As the other, for operators who may also reset keys. A class of its own, so that otherwise there is no such operation. */
@Endpoint(id = "limiters")
public final class WritableLimitersEndpoint extends LimitersEndpoint {

    public WritableLimitersEndpoint(LimiterFactory factory, CallTimes calls, boolean showKeys) {
        super(factory, calls, showKeys);
    }

    /** Forgets what is stored for the limit's own permits. */
    @DeleteOperation
    public void reset(@Selector String limit) {
        with(
                required(limit),
                limiter -> {
                    limiter.reset();
                    return limiter;
                },
                concurrent -> {
                    concurrent.reset();
                    return concurrent;
                });
    }

    /** Forgets what is stored for a key. */
    @DeleteOperation
    public void resetKey(@Selector String limit, @Selector String key) {
        with(
                required(limit),
                limiter -> {
                    limiter.reset(key);
                    return limiter;
                },
                concurrent -> {
                    concurrent.reset(key);
                    return concurrent;
                });
    }

    private LimiterTotals required(String limit) {
        LimiterTotals found = find(limit);
        if (found == null) {
            throw new InvalidEndpointRequestException("there is no limit '" + limit + "'", "No such limit");
        }
        return found;
    }
}
