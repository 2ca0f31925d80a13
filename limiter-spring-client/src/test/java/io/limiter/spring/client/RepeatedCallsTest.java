package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import io.limiter.spring.Contexts;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.web.RuleLimits.Left;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

/** Calls that interceptors and filters of the application send several times. The quota of the third party has three calls. */
class RepeatedCallsTest {

    /** Sends a request until it is answered 200. */
    private static final ClientHttpRequestInterceptor INTERCEPTOR = (request, body, execution) -> {
        ClientHttpResponse response = execution.execute(request, body);
        while (response.getStatusCode().value() != 200) {
            response.close();
            response = execution.execute(request, body);
        }
        return response;
    };

    private static final ExchangeFilterFunction FILTER = (request, next) -> next.exchange(request)
            .filter(response -> response.statusCode().value() == 200)
            .repeatWhenEmpty(empty -> empty);

    private final AtomicInteger called = new AtomicInteger();
    private volatile int unavailable = 20;
    private volatile Map<String, String> headers = Map.of();

    private HttpServer server;
    private String uri;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(called.incrementAndGet() > unavailable ? 200 : 503, -1);
            exchange.close();
        });
        server.createContext("/moved", exchange -> {
            called.incrementAndGet();
            exchange.getResponseHeaders().set("Location", "/");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
        uri = "http://localhost:" + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private ApplicationContextRunner application() {
        return Contexts.local()
                .withConfiguration(Contexts.clients())
                .withPropertyValues(
                        "limiter.clients.maps.hosts=localhost:"
                                + server.getAddress().getPort(),
                        "limiter.clients.maps.timeout=0",
                        "limiter.clients.maps.limits.day.limit=3",
                        "limiter.clients.maps.limits.day.per=1d");
    }

    private void call(RestClient client) {
        client.get().uri(uri).retrieve().toBodilessEntity();
    }

    private void call(WebClient client) {
        client.get().uri(uri).retrieve().toBodilessEntity().block();
    }

    private static RestClient.Builder restClient(BeanFactory beans) {
        return beans.getBean(RestClient.Builder.class);
    }

    private static WebClient.Builder webClient(BeanFactory beans) {
        return beans.getBean(WebClient.Builder.class);
    }

    /** Its builder has another package on each Spring Boot. */
    private static RestTemplate restTemplate(BeanFactory beans) {
        Object builder = ReflectionTestUtils.invokeMethod(
                beans.getBean("restTemplateBuilder"), "additionalInterceptors", (Object)
                        new ClientHttpRequestInterceptor[] {INTERCEPTOR});
        RestTemplate template = ReflectionTestUtils.invokeMethod(builder, "build");
        assertThat(template).isNotNull();
        return template;
    }

    /** Without end, if only the first attempt took a permit, so the third party is available then. */
    private void assertThatEachAttemptTakesAPermit(Consumer<BeanFactory> call) {
        unavailable = 10;
        application().run(context -> {
            assertThatExceptionOfType(InternalLimitExceededException.class).isThrownBy(() -> call.accept(context));
            assertThat(called).hasValue(3);
        });
    }

    @Test
    void each_attempt_of_an_interceptor_behind_the_limit_takes_a_permit() {
        assertThatEachAttemptTakesAPermit(
                beans -> call(restClient(beans).requestInterceptor(INTERCEPTOR).build()));
    }

    @Test
    void each_attempt_of_an_interceptor_in_front_of_the_limit_takes_a_permit() {
        assertThatEachAttemptTakesAPermit(beans -> call(restClient(beans)
                .requestInterceptors(interceptors -> interceptors.add(0, INTERCEPTOR))
                .build()));
    }

    @Test
    void each_attempt_of_interceptors_within_each_other_takes_one_permit() {
        ClientHttpRequestInterceptor other = (request, body, execution) -> execution.execute(request, body);
        assertThatEachAttemptTakesAPermit(beans -> call(restClient(beans)
                .requestInterceptor(other)
                .requestInterceptor(INTERCEPTOR)
                .requestInterceptor(other)
                .build()));
    }

    @Test
    void each_attempt_with_a_copy_of_the_builder_takes_a_permit() {
        assertThatEachAttemptTakesAPermit(beans ->
                call(restClient(beans).clone().requestInterceptor(INTERCEPTOR).build()));
        called.set(0);
        assertThatEachAttemptTakesAPermit(
                beans -> call(webClient(beans).clone().filter(FILTER).build()));
    }

    @Test
    void each_attempt_of_a_rest_template_takes_a_permit() {
        assertThatEachAttemptTakesAPermit(beans -> restTemplate(beans).getForEntity(uri, String.class));
    }

    @Test
    void each_attempt_of_a_filter_takes_a_permit() {
        assertThatEachAttemptTakesAPermit(
                beans -> call(webClient(beans).filter(FILTER).build()));
        called.set(0);
        assertThatEachAttemptTakesAPermit(beans ->
                call(webClient(beans).filters(filters -> filters.add(0, FILTER)).build()));
    }

    @Test
    void each_attempt_takes_a_permit_of_a_client_by_name_too() {
        application()
                .withPropertyValues(
                        "limiter.clients.paid.timeout=0",
                        "limiter.clients.paid.limits.day.limit=2",
                        "limiter.clients.paid.limits.day.per=1d")
                .run(context -> {
                    RestClient client = restClient(context)
                            .requestInterceptor(INTERCEPTOR)
                            .requestInterceptor(context.getBean(ClientLimitInterceptor.class)
                                    .named("paid"))
                            .build();
                    assertThatExceptionOfType(InternalLimitExceededException.class)
                            .isThrownBy(() -> call(client));
                    assertThat(called).hasValue(2);
                });
    }

    /** Whichever of the two rejects the third attempt. */
    @ParameterizedTest
    @CsvSource({"2, 9, false", "9, 2, false", "2, 9, true", "9, 2, true"})
    void an_attempt_that_one_client_rejects_takes_no_permit_of_the_other(int ofMaps, int ofPaid, boolean reactive) {
        application()
                .withPropertyValues(
                        "limiter.clients.maps.limits.day.limit=" + ofMaps,
                        "limiter.clients.paid.timeout=0",
                        "limiter.clients.paid.limits.day.limit=" + ofPaid,
                        "limiter.clients.paid.limits.day.per=1d")
                .run(context -> {
                    assertThatExceptionOfType(InternalLimitExceededException.class)
                            .isThrownBy(() -> {
                                if (reactive) {
                                    call(webClient(context)
                                            .filter(context.getBean(ClientLimitFilter.class)
                                                    .named("paid"))
                                            .filter(FILTER)
                                            .build());
                                } else {
                                    call(restClient(context)
                                            .requestInterceptor(context.getBean(ClientLimitInterceptor.class)
                                                    .named("paid"))
                                            .requestInterceptor(INTERCEPTOR)
                                            .build());
                                }
                            });
                    assertThat(called).hasValue(2);
                    for (String name : new String[] {"maps", "paid"}) {
                        assertThat(context.getBean(ClientRules.class)
                                        .named(name)
                                        .rule()
                                        .peek(Facts.NONE)
                                        .join())
                                .extracting(Left::used)
                                .containsExactly(2L);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_pause_that_the_first_attempt_receives_stops_the_second(boolean reactive) {
        headers = Map.of("Retry-After", "30");
        application().run(context -> {
            assertThatExceptionOfType(InternalLimitExceededException.class).isThrownBy(() -> {
                if (reactive) {
                    call(webClient(context).filter(FILTER).build());
                } else {
                    call(restClient(context).requestInterceptor(INTERCEPTOR).build());
                }
            });
            assertThat(called).hasValue(1);
        });
    }

    private void assertThatOnlyTheFirstAttemptTakesAPermit(Function<BeanFactory, RestClient.Builder> client) {
        unavailable = 5;
        application().run(context -> {
            call(client.apply(context).requestInterceptor(INTERCEPTOR).build());
            assertThat(called).hasValue(6);
        });
    }

    @Test
    void in_a_client_built_by_hand_only_the_first_attempt_takes_a_permit() {
        assertThatOnlyTheFirstAttemptTakesAPermit(
                beans -> RestClient.builder().requestInterceptor(beans.getBean(ClientLimitInterceptor.class)));
    }

    @Test
    void in_a_web_client_built_by_hand_a_filter_in_front_of_the_limit_takes_permits_and_one_behind_does_not() {
        unavailable = 5;
        application().run(context -> {
            ClientLimitFilter limits = context.getBean(ClientLimitFilter.class);
            call(WebClient.builder().filter(limits).filter(FILTER).build());
            assertThat(called).hasValue(6);
            called.set(0);
            assertThatExceptionOfType(InternalLimitExceededException.class)
                    .isThrownBy(() -> call(
                            WebClient.builder().filter(FILTER).filter(limits).build()));
            assertThat(called).hasValue(2);
        });
    }

    @Test
    void what_is_added_to_a_client_that_is_built_repeats_without_permits() {
        assertThatOnlyTheFirstAttemptTakesAPermit(
                beans -> restClient(beans).build().mutate());
    }

    @Test
    void a_redirect_that_the_http_client_follows_takes_no_permit() {
        unavailable = 0;
        application().run(context -> {
            HttpClient following = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build();
            RestClient client = restClient(context)
                    .requestFactory(new JdkClientHttpRequestFactory(following))
                    .build();
            for (int i = 0; i < 3; i++) {
                client.get().uri(uri + "moved").retrieve().toBodilessEntity();
            }
            assertThat(called).hasValue(6);
        });
    }
}
