package io.limiter.examples.webflux;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.reactive.server.StatusAssertions;
import org.springframework.test.web.reactive.server.WebTestClient;

/** With permits in the process, so that the test needs no Redis, and a quota that is used up soon. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"limiter.type=local", "requests-per-day=2"})
class RulesTest {

    private final WebTestClient client;

    /** On a busy machine, the first response takes longer than the default timeout of 5 s. */
    RulesTest(@Autowired WebTestClient client) {
        this.client =
                client.mutate().responseTimeout(Duration.ofMinutes(1)).build();
    }

    @Test
    void each_api_key_has_a_quota_of_its_own() {
        get("ann").isOk();
        get("ann").isOk();
        get("ann").isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
        get("ben").isOk();
    }

    private StatusAssertions get(String apiKey) {
        return client.get()
                .uri("/api/orders/1")
                .header("X-Api-Key", apiKey)
                .exchange()
                .expectStatus();
    }
}
