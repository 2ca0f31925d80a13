package io.limiter.spring.cloud;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.limiter.spring.internal.web.reactive.ExchangeRecords;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.event.RefreshRoutesResultEvent;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.event.EventListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.validation.FieldError;
import reactor.core.publisher.Mono;

/**
 * Decides the requests of {@code RequestRateLimiter} filters by a {@link LimiterFactory}, with the arguments, properties and
 * headers of the gateway's own limiter, which it replaces. Rejections also have {@code Retry-After}.
 *
 * <p>The limit of a route has the route's id as its name. Safe for use by many threads.
 */
final class GatewayRateLimiter extends RedisRateLimiter {

    private static final String PREFIX = "gatewayRateLimit:";
    private static final String OF_ROUTE = " of the route ";

    private final LimiterFactory factory;
    private final Map<String, RouteLimit> limits = new ConcurrentHashMap<>();

    /** Inherits the configuration of routes from the gateway's own limiter, and needs neither its template nor its script. */
    @SuppressWarnings("NullAway")
    GatewayRateLimiter(LimiterFactory factory, ConfigurationService configuration) {
        super(null, null, configuration);
        this.factory = factory.with(LimiterOptions.NONE.withPrefix(PREFIX));
    }

    /**
     * Reads the arguments of a route, so that invalid ones prevent the route rather than reject its requests.
     *
     * @throws InvalidSettingException naming an invalid argument; the route keeps those that it had
     */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        String routeId = event.getRouteId();
        Config before = getConfig().get(routeId);
        try {
            super.onApplicationEvent(event);
            Config read = getConfig().get(routeId);
            if (read != null) {
                limit(routeId, read);
            }
        } catch (RuntimeException e) {
            if (before == null) {
                getConfig().remove(routeId);
            } else {
                getConfig().put(routeId, before);
            }
            throw e instanceof InvalidSettingException ? e : unreadable(routeId, e);
        }
    }

    /** Drops the limits of routes that are gone. A request that is still on its way has its limit built again. */
    @EventListener
    void onRoutesRefreshed(RefreshRoutesResultEvent event) {
        if (event.isSuccess() && event.getSource() instanceof RouteLocator routes) {
            routes.getRoutes().map(Route::getId).collect(Collectors.toSet()).subscribe(limits.keySet()::retainAll);
        }
    }

    private static InvalidSettingException unreadable(String routeId, RuntimeException e) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
        if (cause instanceof BindValidationException validation
                && validation.getValidationErrors().getAllErrors().get(0) instanceof FieldError error) {
            return new InvalidSettingException(
                    "redis-rate-limiter." + error.getField() + OF_ROUTE + routeId,
                    " " + error.getDefaultMessage() + ", was " + error.getRejectedValue(),
                    e);
        }
        return new InvalidSettingException(
                "redis-rate-limiter.*" + OF_ROUTE + routeId,
                " must be whole numbers, burstCapacity at least 0 and the others at least 1: " + cause.getMessage(),
                e);
    }

    /**
     * The limit of a route.
     *
     * @param limiter {@code null} if the capacity is 0, which blocks all requests
     */
    record RouteLimit(Config config, @Nullable RateLimiter limiter) {}

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        RouteLimit limit = limit(routeId);
        RateLimiter limiter = limit.limiter();
        if (limiter == null) {
            return Mono.deferContextual(context -> {
                ExchangeRecords.rejected(context);
                return Mono.just(new Response(false, getHeaders(limit.config(), 0L)));
            });
        }
        // Each subscription decides once, and not when the publisher is assembled.
        return Mono.deferContextual(context -> {
            CompletableFuture<Decision> deciding =
                    limiter.on(id).async().decide(limit.config().getRequestedTokens());
            Mono<Response> response = Mono.fromFuture(deciding)
                    .doOnNext(decision -> {
                        if (!decision.isGranted()) {
                            ExchangeRecords.rejected(context);
                        }
                    })
                    .map(decision -> response(limit.config(), limiter.on(id), decision));
            // Leaves the thread that completed the decision, because other decisions wait for it.
            return deciding.isDone() ? response : response.publishOn(CurrentEventLoop.orElse(CallThreads::execute));
        });
    }

    private Response response(Config config, RateLimiter limiter, Decision decision) {
        if (!decision.isGranted() && decision.source() == Decision.Source.POLICY) {
            // Answered with 503, because that Redis is unavailable is not the caller's fault.
            throw new RateLimitExceededException(limiter.name(), limiter.keys(), decision);
        }
        Map<String, String> headers = new HashMap<>(getHeaders(config, (long) decision.remaining()));
        if (!decision.isGranted()) {
            decision.retryAfterSeconds()
                    .ifPresent(seconds -> headers.put(HttpHeaders.RETRY_AFTER, Long.toString(seconds)));
        }
        return new Response(decision.isGranted(), headers);
    }

    /** @throws InvalidSettingException if the route has no valid limit */
    RouteLimit limit(String routeId) {
        Config config = getConfig().get(routeId);
        Config used = config == null ? getConfig().get(RouteDefinitionRouteLocator.DEFAULT_FILTERS) : config;
        if (used == null) {
            throw new InvalidSettingException(
                    "redis-rate-limiter.replenishRate" + OF_ROUTE + routeId,
                    " must be set, for the route or in the default filters, such as redis-rate-limiter.replenishRate=10");
        }
        return limit(routeId, used);
    }

    /** Built again when the route has another configuration. */
    private RouteLimit limit(String routeId, Config config) {
        RouteLimit known = limits.get(routeId);
        if (known == null || known.config() != config) {
            known = new RouteLimit(config, limiter(routeId, config));
            limits.put(routeId, known);
        }
        return known;
    }

    private @Nullable RateLimiter limiter(String routeId, Config config) {
        long capacity = capacity(config);
        if (capacity < 0) {
            throw invalid("burstCapacity", routeId, "at least 1, or 0 to block all requests, was " + capacity);
        }
        if (capacity == 0) {
            return null;
        }
        if (config.getReplenishRate() < 1) {
            throw invalid("replenishRate", routeId, "at least 1 per second, was " + config.getReplenishRate());
        }
        if (config.getRequestedTokens() < 1 || config.getRequestedTokens() > capacity) {
            throw invalid(
                    "requestedTokens",
                    routeId,
                    "between 1 and the burstCapacity " + capacity + ", was " + config.getRequestedTokens()
                            + ": no request would ever be granted, so set a larger burstCapacity");
        }
        return factory.build(
                routeId, TokenBucket.perSecond(config.getReplenishRate()).withCapacity(capacity));
    }

    private static InvalidSettingException invalid(String argument, String routeId, String allowed) {
        return new InvalidSettingException(
                "redis-rate-limiter." + argument + OF_ROUTE + routeId, " must be " + allowed);
    }

    /** An int up to version 4 of the gateway, and a long from 5 on. */
    private static long capacity(Config config) {
        Object capacity = PropertyAccessorFactory.forBeanPropertyAccess(config).getPropertyValue("burstCapacity");
        return ((Number) Objects.requireNonNull(capacity)).longValue();
    }
}
