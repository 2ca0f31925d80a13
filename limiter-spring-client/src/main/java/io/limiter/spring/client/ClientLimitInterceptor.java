package io.limiter.spring.client;

import java.io.IOException;
import java.net.URI;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the calls of a {@code RestClient} or {@code RestTemplate}. A call waits for its permits up to the timeout, and fails with a
 * {@link io.limiter.RateLimitExceededException} if they are not there then, or at once in a pause that the third party has requested. A
 * call that two of these see is limited once by each client of {@code limiter.clients}. Safe for use by many threads.
 */
public final class ClientLimitInterceptor implements ClientHttpRequestInterceptor {

    private final ClientLimits limits;
    private final Function<URI, @Nullable ClientLimit> finder;

    /** Limits calls by their hosts. */
    ClientLimitInterceptor(ClientLimits limits) {
        this(limits, limits::find);
    }

    private ClientLimitInterceptor(ClientLimits limits, Function<URI, @Nullable ClientLimit> finder) {
        this.limits = limits;
        this.finder = finder;
    }

    /**
     * One that limits all calls as those of a client, to any host.
     *
     * @throws IllegalArgumentException if {@code limiter.clients} has no such name
     */
    public ClientLimitInterceptor named(String name) {
        return new ClientLimitInterceptor(limits, limits.named(name));
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        ClientLimit limit = finder.apply(request.getURI());
        if (limit == null || request.getAttributes().putIfAbsent(limit.attribute(), true) != null) {
            return execution.execute(request, body);
        }
        try {
            limit.acquire();
            ClientHttpResponse response = execution.execute(request, body);
            answered(limit, response);
            return response;
        } finally {
            // An interceptor around this one may send the request again.
            request.getAttributes().remove(limit.attribute());
        }
    }

    private void answered(ClientLimit limit, ClientHttpResponse response) {
        int status;
        try {
            status = response.getStatusCode().value();
        } catch (IOException | IllegalArgumentException e) {
            // Whoever reads the response sees it.
            return;
        }
        limits.answered(limit, status, response.getHeaders());
    }
}
