package io.limiter.spring.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.Mono;

/** Calls that are answered immediately if they are sent, without a server. */
final class AnsweredCalls {

    static final URI API = URI.create("https://api.example.com/");

    private AnsweredCalls() {}

    static void call(ClientLimitInterceptor interceptor, HttpStatus answer, String retryAfter) {
        try {
            interceptor.intercept(new MockClientHttpRequest(HttpMethod.HEAD, API), new byte[0], (request, body) -> {
                MockClientHttpResponse response = new MockClientHttpResponse(body, answer);
                response.getHeaders().set(HttpHeaders.RETRY_AFTER, retryAfter);
                return response;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void call(ClientLimitFilter filter, HttpStatus answer, String retryAfter) {
        filter.filter(
                        ClientRequest.create(HttpMethod.HEAD, API).build(),
                        request -> Mono.just(ClientResponse.create(answer)
                                .header(HttpHeaders.RETRY_AFTER, retryAfter)
                                .build()))
                .block();
    }
}
