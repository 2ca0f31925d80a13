package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.internal.web.SettledResponsesContract;
import io.limiter.testing.OnNetty;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** WebFlux on Netty. */
class WebFluxSettledResponsesTest extends SettledResponsesContract {

    private static final CountDownLatch ARRIVED = new CountDownLatch(1);

    @RestController
    static class Model {

        @GetMapping("/model/json")
        public Mono<ResponseEntity<byte[]>> json(@RequestParam("total") String total) {
            return Mono.just(
                    ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(body(total)));
        }

        @GetMapping("/model/later")
        public Mono<ResponseEntity<byte[]>> later(@RequestParam("total") String total) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(none -> json(total));
        }

        @GetMapping(
                path = {"/model/openai", "/v1/chat/completions"},
                produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        public Flux<ServerSentEvent<String>> openai() {
            return events(OPENAI);
        }

        @GetMapping(
                path = {"/model/anthropic", "/v1/messages"},
                produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        public Flux<ServerSentEvent<String>> anthropic() {
            return events(ANTHROPIC);
        }

        private static Flux<ServerSentEvent<String>> events(List<String> events) {
            return Flux.fromIterable(events)
                    .map(event -> ServerSentEvent.builder(event).build());
        }

        @GetMapping("/model/header")
        public Mono<ResponseEntity<String>> header(@RequestParam("total") String total) {
            return Mono.just(ResponseEntity.ok().header("X-Usage-Tokens", total).body("done"));
        }

        @GetMapping("/model/text")
        public Mono<ResponseEntity<byte[]>> text(@RequestParam("total") String total) {
            return Mono.just(
                    ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(body(total)));
        }

        @GetMapping("/model/empty")
        public Mono<ResponseEntity<String>> empty() {
            return Mono.just(ResponseEntity.noContent().build());
        }

        @GetMapping("/model/compressed")
        public Mono<ResponseEntity<byte[]>> compressed() {
            return Mono.just(ResponseEntity.ok()
                    .contentType(MediaType.APPLICATION_JSON)
                    .header(HttpHeaders.CONTENT_ENCODING, "gzip")
                    .body(gzip(body("7"))));
        }

        @GetMapping("/model/error")
        public Mono<ResponseEntity<String>> error() {
            return Mono.just(ResponseEntity.status(503)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{\"error\":{\"type\":\"overloaded_error\"}}"));
        }

        @GetMapping("/model/fails")
        public Mono<String> fails() {
            return Mono.error(new UnsupportedOperationException("no handler"));
        }

        @GetMapping({"/model/accepts", "/other/accepts"})
        public Mono<String> accepts(@RequestHeader(HttpHeaders.ACCEPT_ENCODING) String encodings) {
            return Mono.just(encodings);
        }

        @GetMapping(path = "/model/flushed", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        public Flux<ServerSentEvent<String>> flushed() {
            Mono<Void> received = Mono.<Void>fromRunnable(SettledResponsesContract::awaitReceived)
                    .subscribeOn(Schedulers.boundedElastic());
            return events(ANTHROPIC.subList(0, 1))
                    .concatWith(received.thenMany(events(ANTHROPIC.subList(1, ANTHROPIC.size()))));
        }

        @GetMapping(
                path = {"/model/endless", "/v1/endless"},
                produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        public Flux<ServerSentEvent<String>> endless() {
            return events(ANTHROPIC.subList(0, 1))
                    .concatWith(Flux.interval(Duration.ofMillis(10))
                            .map(i -> ServerSentEvent.<String>builder()
                                    .comment("still thinking")
                                    .build()));
        }

        /** Answered when the handler and all filters are done. */
        @GetMapping("/model/missing")
        public Mono<Void> missing(ServerHttpResponse response) {
            response.setStatusCode(HttpStatus.NOT_FOUND);
            return Mono.empty();
        }

        @GetMapping("/model/silent")
        public Mono<String> silent() {
            ARRIVED.countDown();
            return Mono.never();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OnNetty.class)
    static class Application {

        @Bean
        Model model() {
            return new Model();
        }

        /** Goes on when the exchange is handled. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebFilter late() {
            return (exchange, chain) -> exchange.getRequest().getHeaders().getFirst("X-Late") != null
                    ? chain.filter(exchange)
                            .then(Mono.delay(Duration.ofMillis(50)))
                            .then()
                    : chain.filter(exchange);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Late", "X-Other"})
    void a_response_is_settled_by_its_status_if_that_is_sent_after_the_handler(String header) throws Exception {
        long before = unsettled();
        assertThat(get("/model/missing", header, "yes").statusCode()).isEqualTo(404);
        assertEstimate(before);
        assertSuccesses(0);
        assertThat(get("/model/json?total=12", header, "yes").statusCode()).isEqualTo(200);
        assertTokens(50 + 12);
        assertSuccesses(12);
    }

    @Test
    void a_caller_that_leaves_before_the_response_stays_charged_for_the_estimate() throws Exception {
        long before = unsettled();
        CompletableFuture<?> response = send("/model/silent");
        assertThat(ARRIVED.await(1, TimeUnit.MINUTES)).isTrue();
        response.cancel(true);
        assertEstimate(before);
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
