package io.limiter.spring.client;

import io.limiter.spring.check.CheckResult;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Limits the calls of a {@code WebClient}, as {@link ClientLimitInterceptor} does, without blocking a thread. Safe for use by many
 * threads.
 */
public final class ClientLimitFilter implements ExchangeFilterFunction {

    private final ClientLimits limits;
    private final Function<URI, @Nullable ClientLimit> finder;

    /** Limits calls by their hosts. */
    ClientLimitFilter(ClientLimits limits) {
        this(limits, limits::find);
    }

    private ClientLimitFilter(ClientLimits limits, Function<URI, @Nullable ClientLimit> finder) {
        this.limits = limits;
        this.finder = finder;
    }

    /**
     * One that limits all calls as those of a client, to any host.
     *
     * @throws IllegalArgumentException if {@code limiter.clients} has no such name
     */
    public ClientLimitFilter named(String name) {
        return new ClientLimitFilter(limits, limits.named(name));
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> {
            ClientLimit limit = finder.apply(request.url());
            if (limit == null || request.attribute(limit.attribute()).isPresent()) {
                return next.exchange(request);
            }
            ClientRequest limited = ClientRequest.from(request)
                    .attribute(limit.attribute(), true)
                    .build();
            return acquired(limit)
                    .then(Mono.defer(() -> {
                        limit.checkPause();
                        return next.exchange(limited);
                    }))
                    .doOnNext(response -> limits.answered(
                            limit,
                            response.statusCode().value(),
                            response.headers().asHttpHeaders()));
        });
    }

    /** Leaves the thread that completed the decision, because other decisions wait for it, and filters behind this one may block. */
    private static Mono<CheckResult> acquired(ClientLimit limit) {
        // Not a stage that depends on it, which would not pass the cancellation on.
        CompletableFuture<CheckResult> running = limit.acquireAsync();
        Mono<CheckResult> acquired = Mono.fromFuture(running).doOnNext(ClientLimit::throwIfRejected);
        return running.isDone() ? acquired : acquired.publishOn(Schedulers.boundedElastic());
    }
}
