package io.limiter.spring.client;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;

/**
 * Limits the calls of a {@code RestClient} or {@code RestTemplate}. A call waits for its permits up to the timeout, and then fails with a
 * {@link io.limiter.RateLimitExceededException} if they are not available. In a pause that the third party has requested, it fails immediately. A call
 * that passes two of these interceptors is limited once by each client of {@code limiter.clients}.
 *
 * <p>If an interceptor sends a request again, each attempt takes permits in the clients that Spring Boot's {@code RestClient.Builder} bean builds. With
 * {@code RestTemplateBuilder}, that is so if the builder had the interceptor. Otherwise, only the first attempt takes permits. Redirects and repetitions
 * of the HTTP client itself take none. Safe for use by many threads.
 */
public final class ClientLimitInterceptor implements ClientHttpRequestInterceptor {

    /**
     * The name of the bean that limits calls by their hosts. An application that has others gives the parameter into which it is injected
     * this name.
     */
    static final String BEAN = "limiterClientInterceptor";

    /** Marks a request whose last response was seen. */
    private static final String SEEN = ClientLimitInterceptor.class.getName() + ".seen";

    private final ClientRules rules;
    private final Function<URI, @Nullable ClientRule> finder;

    ClientLimitInterceptor(ClientRules rules, Function<URI, @Nullable ClientRule> finder) {
        this.rules = rules;
        this.finder = finder;
    }

    /**
     * An interceptor that limits all calls, to any host, as calls of this client.
     *
     * @throws IllegalArgumentException if {@code limiter.clients} has no such name
     */
    public ClientLimitInterceptor named(String name) {
        ClientRule client = rules.named(name);
        return new ClientLimitInterceptor(rules, uri -> client);
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        ClientRule rule = finder.apply(request.getURI());
        if (rule == null || request.getAttributes().putIfAbsent(rule.attribute(), rule) != null) {
            return execution.execute(request, body);
        }
        try {
            rule.acquire();
            return send(request, body, execution);
        } finally {
            // An interceptor around this one may send the request again.
            request.getAttributes().remove(rule.attribute());
        }
    }

    /** Sends a request, and sees the response unless an interceptor behind it has seen it already. */
    private static ClientHttpResponse send(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        Map<String, Object> attributes = request.getAttributes();
        attributes.remove(SEEN);
        ClientHttpResponse response = execution.execute(request, body);
        if (attributes.putIfAbsent(SEEN, true) == null) {
            for (ClientRule rule : charged(request)) {
                rule.answered(response.getStatusCode().value(), response.getHeaders());
            }
        }
        return response;
    }

    private static List<ClientRule> charged(HttpRequest request) {
        return request.getAttributes().values().stream()
                .filter(ClientRule.class::isInstance)
                .map(ClientRule.class::cast)
                .toList();
    }

    void addTo(List<ClientHttpRequestInterceptor> interceptors) {
        interceptors.add(this);
        limitRepeats(interceptors);
    }

    /**
     * Has the other interceptors of a list with one of these take permits for what they send again. In Spring 6 it does not pass those
     * behind them any more, so these are first.
     */
    static void limitRepeats(List<ClientHttpRequestInterceptor> interceptors) {
        if (interceptors.stream().anyMatch(ClientLimitInterceptor.class::isInstance)) {
            interceptors.replaceAll(each ->
                    each instanceof ClientLimitInterceptor || each instanceof Repeats ? each : new Repeats(each));
            interceptors.sort(Comparator.comparing(each -> each instanceof Repeats));
        }
    }

    /** Builds a client with everything that was added to its builder since then. */
    static RestClient build(RestClient.Builder builder) {
        List<ClientHttpRequestInterceptor> interceptors = new ArrayList<>();
        // A copy is asked, because the client buffers bodies even for an empty list.
        builder.clone().requestInterceptors(interceptors::addAll);
        if (interceptors.stream().noneMatch(ClientLimitInterceptor.class::isInstance)) {
            return builder.build();
        }
        return builder.clone()
                .requestInterceptors(ClientLimitInterceptor::limitRepeats)
                .build();
    }

    /** Around an interceptor of the application, which may send a request again. */
    private record Repeats(ClientHttpRequestInterceptor interceptor) implements ClientHttpRequestInterceptor {

        @Override
        public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
                throws IOException {
            AtomicBoolean sent = new AtomicBoolean();
            return interceptor.intercept(request, body, (next, content) -> {
                if (sent.getAndSet(true)) {
                    ClientRule.acquire(charged(request));
                }
                return send(next, content, execution);
            });
        }
    }
}
