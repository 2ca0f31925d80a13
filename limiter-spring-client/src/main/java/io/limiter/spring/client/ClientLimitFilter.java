package io.limiter.spring.client;

import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.limiter.spring.internal.check.CheckResult;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/**
 * Limits the calls of a {@code WebClient} like {@link ClientLimitInterceptor}, without blocking a thread. If a filter sends a request again, each
 * attempt takes permits in the clients that Spring Boot's {@code WebClient.Builder} bean builds. In other clients, that is so if the filter comes before
 * this one. Safe for use by many threads.
 */
public final class ClientLimitFilter implements ExchangeFilterFunction {

    /**
     * The name of the bean that limits calls by their hosts. An application that has others gives the parameter into which it is injected
     * this name.
     */
    static final String BEAN = "limiterClientFilter";

    /** Behind all filters, which may send a request again. */
    private static final ExchangeFilterFunction REPEATS = ClientLimitFilter::repeats;

    private final ClientRules rules;
    private final Function<URI, @Nullable ClientRule> finder;

    ClientLimitFilter(ClientRules rules, Function<URI, @Nullable ClientRule> finder) {
        this.rules = rules;
        this.finder = finder;
    }

    /**
     * A filter that limits all calls, to any host, as calls of this client.
     *
     * @throws IllegalArgumentException if {@code limiter.clients} has no such name
     */
    public ClientLimitFilter named(String name) {
        ClientRule client = rules.named(name);
        return new ClientLimitFilter(rules, uri -> client);
    }

    /** @param builder of a {@code WebClient}; an application without WebFlux has none */
    void addTo(Object builder) {
        ((WebClient.Builder) builder).filter(this);
    }

    /** The permits of a call, which its first attempt spends. */
    private record Charge(ClientRule rule, AtomicBoolean spent) {}

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> {
            ClientRule rule = finder.apply(request.url());
            if (rule == null || request.attribute(rule.attribute()).isPresent()) {
                return next.exchange(request);
            }
            Charge charge = new Charge(rule, new AtomicBoolean());
            ClientRequest limited = ClientRequest.from(request)
                    .attribute(rule.attribute(), charge)
                    .build();
            return limited(List.of(rule), limited, next).doOnNext(response -> {
                if (!charge.spent().get()) {
                    answered(rule, response);
                }
            });
        });
    }

    /** Sends a request with permits of each. */
    private static Mono<ClientResponse> limited(
            List<ClientRule> clients, ClientRequest request, ExchangeFunction next) {
        return acquired(clients).then(Mono.defer(() -> {
            ClientRule.checkPauses(clients);
            return next.exchange(request);
        }));
    }

    /**
     * Leaves the thread that completed the decision, because other decisions wait for it: for the event loop that makes the call,
     * where filters behind this one do not block without a limit either, or else for threads that may block.
     */
    private static Mono<CheckResult> acquired(List<ClientRule> clients) {
        // Not a stage that depends on it, which would not pass the cancellation on.
        CompletableFuture<CheckResult> running = ClientRule.acquireAsync(clients);
        Mono<CheckResult> acquired = Mono.fromFuture(running).doOnNext(ClientRule::throwIfRejected);
        return running.isDone() ? acquired : acquired.publishOn(CurrentEventLoop.orElse(CallThreads::execute));
    }

    private static void answered(ClientRule rule, ClientResponse response) {
        rule.answered(response.statusCode().value(), response.headers().asHttpHeaders());
    }

    /** Has what other filters send again take permits, if the list has one of these. */
    static void limitRepeats(List<ExchangeFilterFunction> filters) {
        filters.remove(REPEATS);
        if (filters.stream().anyMatch(ClientLimitFilter.class::isInstance)) {
            filters.add(REPEATS);
        }
    }

    private static Mono<ClientResponse> repeats(ClientRequest request, ExchangeFunction next) {
        List<Charge> charges = request.attributes().values().stream()
                .filter(Charge.class::isInstance)
                .map(Charge.class::cast)
                .toList();
        return Mono.defer(() -> limited(
                        charges.stream()
                                .filter(charge -> charge.spent().getAndSet(true))
                                .map(Charge::rule)
                                .toList(),
                        request,
                        next))
                .doOnNext(response -> charges.forEach(charge -> answered(charge.rule(), response)));
    }
}
