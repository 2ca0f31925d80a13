package io.limiter.examples.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** With permits in the process, so that the test needs no Redis, and a rate that a slow machine cannot refill. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "limiter.type=local",
            "limiter.limits.search.rate=1",
            "limiter.limits.search.per=1h",
            "limiter.limits.search.capacity=2"
        })
class SearchControllerTest {

    @LocalServerPort
    private int port;

    @Test
    void the_third_search_is_rejected() throws Exception {
        assertThat(search().statusCode()).isEqualTo(200);
        assertThat(search().statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = search();
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
    }

    private HttpResponse<String> search() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/search?text=x"))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
