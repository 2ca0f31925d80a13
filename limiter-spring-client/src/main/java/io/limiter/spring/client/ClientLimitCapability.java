package io.limiter.spring.client;

import feign.AsyncClient;
import feign.Capability;
import feign.Client;
import feign.Request;
import feign.RequestTemplate;
import feign.Response;
import feign.Target;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Limits the calls of Feign clients like {@link ClientLimitInterceptor}, both by the host and by the name of the Feign client if {@code limiter.clients}
 * has that name. A call to which two clients of {@code limiter.clients} apply takes permits of both, or of neither if one of them rejects it. Spring
 * Cloud OpenFeign adds this bean to its clients. Safe for use by many threads.
 */
public final class ClientLimitCapability implements Capability {

    private final ClientRules rules;

    ClientLimitCapability(ClientRules rules) {
        this.rules = rules;
    }

    @Override
    public Client enrich(Client client) {
        return (request, options) -> execute(client, request, options);
    }

    /** @throws UnsupportedOperationException because an asynchronous client has no limits */
    @Override
    public AsyncClient<Object> enrich(AsyncClient<Object> client) {
        throw new UnsupportedOperationException(
                "AsyncFeign has no limits: use Feign.builder(), or call tryAcquire() of a limiter before each call");
    }

    private Response execute(Client client, Request request, Request.Options options) throws IOException {
        List<ClientRule> limiting = rulesOf(request);
        ClientRule.acquire(limiting);
        Response response = client.execute(request, options);
        if (!limiting.isEmpty()) {
            HttpHeaders headers = headers(response);
            limiting.forEach(rule -> rule.answered(response.status(), headers));
        }
        return response;
    }

    private List<ClientRule> rulesOf(Request request) {
        return Stream.of(
                        Optional.ofNullable(byName(request.requestTemplate())),
                        Optional.ofNullable(rules.find(URI.create(request.url()))))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    private @Nullable ClientRule byName(@Nullable RequestTemplate template) {
        Target<?> target = template == null ? null : template.feignTarget();
        return target == null ? null : rules.byName(target.name());
    }

    private static HttpHeaders headers(Response response) {
        HttpHeaders headers = new HttpHeaders();
        response.headers().forEach((name, values) -> values.forEach(value -> headers.add(name, value)));
        return headers;
    }
}
