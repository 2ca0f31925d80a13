package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.client.ClientLimitInterceptor;
import io.limiter.test.TestClock;
import io.limiter.test.spring.AutoConfigureLimiter;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

/** A pause that a third party requests in a test, with the clock of the test. */
@SpringBootTest(
        classes = PausesInTestsTest.Application.class,
        properties = {"limiter.clients.maps.hosts=api.maps.example", "limiter.clients.maps.limits.second.rate=1000"})
@AutoConfigureLimiter
class PausesInTestsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Autowired
    private ClientLimitInterceptor limits;

    @Autowired
    private TestClock clock;

    /** Is answered immediately if it is sent, without a server. */
    private HttpStatusCode call(HttpStatus answer) {
        return RestClient.builder()
                .requestInterceptor(limits)
                .requestFactory((uri, method) -> {
                    MockClientHttpResponse response = new MockClientHttpResponse(new byte[0], answer);
                    response.getHeaders().set(HttpHeaders.RETRY_AFTER, "30");
                    MockClientHttpRequest sent = new MockClientHttpRequest(method, uri);
                    sent.setResponse(response);
                    return sent;
                })
                .build()
                .get()
                .uri("https://api.maps.example/")
                .retrieve()
                .onStatus(status -> true, (request, response) -> {})
                .toBodilessEntity()
                .getStatusCode();
    }

    private void assertPauses() {
        assertThatExceptionOfType(InternalLimitExceededException.class).isThrownBy(() -> call(HttpStatus.OK));
    }

    /** The second repetition would be rejected by the pause of the first. */
    @RepeatedTest(2)
    void each_test_starts_without_the_pause_of_another() {
        assertThat(call(HttpStatus.TOO_MANY_REQUESTS)).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
        assertPauses();
    }

    @Test
    void the_clock_ends_a_pause() {
        call(HttpStatus.TOO_MANY_REQUESTS);
        clock.advance(Duration.ofSeconds(30));
        assertPauses();
        // A second, and a tenth of the pause.
        clock.advance(Duration.ofMillis(1000 + 3100));
        assertThat(call(HttpStatus.OK)).isEqualTo(HttpStatus.OK);
    }
}
