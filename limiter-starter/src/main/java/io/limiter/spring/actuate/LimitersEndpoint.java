package io.limiter.spring.actuate;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.engine.EngineLimiterFactory;
import io.limiter.local.LocalLimiterFactory;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * What an operator sees of the limiters. A limit is named as in {@code limiters}: by its name, or by prefix and name where
 * several prefixes have it.
 */
@Endpoint(id = "limiters")
public class LimitersEndpoint {

    private final LimiterFactory factory;
    private final CallTimes calls;
    private final boolean showKeys;

    /**
     * @param showKeys whether callers' keys are shown as they are, and not hashed
     */
    public LimitersEndpoint(LimiterFactory factory, CallTimes calls, boolean showKeys) {
        this.factory = factory;
        this.calls = calls;
        this.showKeys = showKeys;
    }

    /** All limits. */
    @ReadOperation
    public LimitersDescription limiters() {
        return new LimitersDescription(
                totals().stream()
                        .map(each -> LimitDescription.of(each, isLocal()))
                        .toList(),
                calls.summary(),
                factory instanceof EngineLimiterFactory engine ? Sizes.of(engine.statistics()) : null);
    }

    /** One limit, with its hottest keys; {@code null} if there is none. */
    @ReadOperation
    public @Nullable LimitDescription limit(@Selector String limit) {
        LimiterTotals totals = find(limit);
        return totals == null ? null : LimitDescription.withKeys(totals, isLocal(), showKeys);
    }

    /** What a key has, taking nothing; {@code null} if there is no such limit. */
    @ReadOperation
    public @Nullable KeyDescription key(@Selector String limit, @Selector String key) {
        LimiterTotals totals = find(limit);
        return totals == null ? null : KeyDescription.of(peek(totals, key));
    }

    private Decision peek(LimiterTotals totals, String key) {
        return with(totals, limiter -> limiter.peek(key), concurrent -> concurrent.peek(key));
    }

    /** Builds it again: factories keep only limiters that are in use, but totals for as long as they live. */
    <T> T with(LimiterTotals totals, Function<Limiter, T> limited, Function<ConcurrencyLimiter, T> concurrent) {
        LimiterFactory prefixed = factory.withPrefix(totals.prefix());
        Limit<?> limit = totals.limit()
                .orElseThrow(() -> new InvalidEndpointRequestException(
                        "'" + totals.name() + "' stands for many limits", "Many limits"));
        return limit instanceof ConcurrencyLimit places
                ? concurrent.apply(prefixed.build(totals.name(), places))
                : limited.apply(prefixed.build(totals.name(), limit));
    }

    /** {@code null} if there is none of this name. */
    @Nullable
    LimiterTotals find(String limit) {
        List<LimiterTotals> found = totals().stream()
                .filter(each -> each.name().equals(limit) || (each.prefix() + each.name()).equals(limit))
                .toList();
        if (found.size() > 1) {
            throw new InvalidEndpointRequestException(
                    "limits of several prefixes have this name, so name one of "
                            + found.stream()
                                    .map(each -> each.prefix() + each.name())
                                    .toList(),
                    "Several limits");
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private boolean isLocal() {
        return factory instanceof LocalLimiterFactory;
    }

    private List<LimiterTotals> totals() {
        return factory instanceof EngineLimiterFactory engine
                ? engine.statistics().totals()
                : List.of();
    }
}
