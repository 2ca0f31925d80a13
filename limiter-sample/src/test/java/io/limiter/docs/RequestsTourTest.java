package io.limiter.docs;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.client.ClientLimitFilter;
import io.limiter.spring.client.ClientLimitInterceptor;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import jakarta.servlet.Filter;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import reactor.core.publisher.Mono;

/** A tour of requests: how those that come in are limited, and those that go out to a third party. */
class RequestsTourTest {

    private final TestClock clock = new TestClock();

    @RestController
    static class Endpoints {

        @GetMapping("/by-ip")
        @RateLimit(rate = 1, per = "1m", limitType = LimitType.IP)
        public String byIp() {
            return "done";
        }

        @GetMapping("/by-user")
        @RateLimit(rate = 1, per = "1m", limitType = LimitType.USER)
        public String byUser() {
            return "done";
        }

        @GetMapping("/by-key")
        @RateLimit(key = "header:X-Api-Key", rate = 1, per = "1m")
        public String byApiKey() {
            return "done";
        }

        @GetMapping("/by-tenant")
        @RateLimit(key = "#{header('X-Tenant') ?: ip()}", rate = 1, per = "1m")
        public String byTenant() {
            return "done";
        }

        @GetMapping("/pages")
        @RateLimit(key = "#{ip()}", rate = 1, capacity = 10, cost = "#{number(param('pages'))}")
        public String pages(@RequestParam String pages) {
            return pages;
        }
    }

    @EnableWebMvc
    static class Web {}

    private void withRequests(RequestTest test, String... properties) {
        Contexts.web()
                .withBean(LimiterFactory.class, () -> new TestLimiterFactory(clock))
                .withUserConfiguration(Web.class)
                .withBean(Endpoints.class)
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Filter[] filters = context.getBeanProvider(FilterRegistrationBean.class)
                            .orderedStream()
                            .filter(FilterRegistrationBean::isEnabled)
                            .map(registration -> registration.getFilter())
                            .toArray(Filter[]::new);
                    test.run(MockMvcBuilders.webAppContextSetup(context.getSourceApplicationContext())
                            .addFilters(filters)
                            .build());
                });
    }

    private interface RequestTest {
        void run(MockMvc mvc) throws Exception;
    }

    private static int status(MockMvc mvc, MockHttpServletRequestBuilder request) throws Exception {
        return mvc.perform(request).andReturn().getResponse().getStatus();
    }

    @Test
    void annotations_have_facts_of_a_request() {
        withRequests(mvc -> {
            assertThat(status(mvc, get("/by-ip"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-ip"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-user").principal(() -> "ann"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-user").principal(() -> "ann"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-user").principal(() -> "ben"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-key").header("X-Api-Key", "a"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-key").header("X-Api-Key", "a"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-key"))).isEqualTo(400);
            assertThat(status(mvc, get("/by-tenant").header("X-Tenant", "acme")))
                    .isEqualTo(200);
            assertThat(status(mvc, get("/by-tenant"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-tenant"))).isEqualTo(429);
            assertThat(status(mvc, get("/pages?pages=8"))).isEqualTo(200);
            assertThat(status(mvc, get("/pages?pages=8"))).isEqualTo(429);
            assertThat(status(mvc, get("/pages?pages=many"))).isEqualTo(400);
        });
    }

    @Test
    void rules_limit_requests_without_code() {
        withRequests(
                mvc -> {
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "a")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "a")))
                            .isEqualTo(429);
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "b")))
                            .isEqualTo(200);
                },
                "limiter.http.api.path=/pages",
                "limiter.http.api.key=header:X-Api-Key",
                "limiter.http.api.limits.second.rate=10",
                "limiter.http.api.limits.day.limit=1",
                "limiter.http.api.limits.day.per=day");
    }

    @Test
    void a_rule_has_a_path_of_keys_a_cost_and_a_condition() {
        withRequests(
                mvc -> {
                    String request = "/pages?pages=1&tenant=";
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ann")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ann")))
                            .isEqualTo(429);
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ben")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get("/pages?pages=1"))).isEqualTo(200);
                },
                "limiter.http.api.path=/pages",
                "limiter.http.api.key=param:tenant,header:X-User",
                "limiter.http.api.condition=#{param('tenant') != null}",
                "limiter.http.api.cost=#{method() == 'GET' ? 5 : 1}",
                "limiter.http.api.limits.one.rate=1",
                "limiter.http.api.limits.one.capacity=5");
    }

    // Outgoing calls

    /** A service that calls a third party. */
    static class Maps {

        private final RestClient client;

        Maps(RestClient.Builder builder) {
            client = builder.baseUrl("https://api.maps.example").build();
        }

        String tile(int number) {
            return client.get().uri("/tiles/{number}", number).retrieve().body(String.class);
        }
    }

    /** The same without blocking a thread. */
    static class ReactiveMaps {

        private final WebClient client;

        ReactiveMaps(WebClient.Builder builder) {
            client = builder.baseUrl("https://api.maps.example").build();
        }

        Mono<String> tile(int number) {
            return client.get().uri("/tiles/{number}", number).retrieve().bodyToMono(String.class);
        }
    }

    /** Answers every call. */
    private static final ClientHttpRequestFactory SERVER = (uri, method) -> {
        MockClientHttpRequest request = new MockClientHttpRequest(method, uri);
        request.setResponse(new MockClientHttpResponse(new byte[] {'o', 'k'}, HttpStatus.OK));
        return request;
    };

    private static final ExchangeFunction REACTIVE_SERVER =
            request -> Mono.just(ClientResponse.create(HttpStatus.OK).body("ok").build());

    private void withClients(Consumer<ApplicationContext> test, String... properties) {
        Contexts.plain()
                .withConfiguration(Contexts.clients())
                .withBean(LimiterFactory.class, () -> new TestLimiterFactory(clock))
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    test.accept(context);
                });
    }

    private static void rejects(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    @Test
    void outgoing_calls_share_the_quota_of_a_third_party() {
        withClients(
                context -> {
                    Maps maps =
                            new Maps(context.getBean(RestClient.Builder.class).requestFactory(SERVER));
                    ReactiveMaps reactive = new ReactiveMaps(
                            context.getBean(WebClient.Builder.class).exchangeFunction(REACTIVE_SERVER));
                    assertThat(maps.tile(1)).isEqualTo("ok");
                    assertThat(reactive.tile(2).block()).isEqualTo("ok");
                    rejects(() -> maps.tile(3));
                    rejects(() -> reactive.tile(3).block());
                    clock.advance(Duration.ofDays(1));
                    assertThat(reactive.tile(3).block()).isEqualTo("ok");
                },
                "limiter.clients.maps.hosts=api.maps.example",
                "limiter.clients.maps.limits.day.limit=2",
                "limiter.clients.maps.limits.day.per=1d");
    }

    @Test
    void outgoing_calls_wait_for_their_permits() {
        withClients(
                context -> {
                    Maps maps =
                            new Maps(context.getBean(RestClient.Builder.class).requestFactory(SERVER));
                    maps.tile(1);
                    Instant before = clock.instant();
                    maps.tile(2);
                    assertThat(clock.instant()).isEqualTo(before.plusMillis(200));
                },
                "limiter.clients.maps.hosts=api.maps.example",
                "limiter.clients.maps.limits.second.rate=5",
                "limiter.clients.maps.limits.second.capacity=1",
                "limiter.clients.maps.timeout=2s");
    }

    @Test
    void a_client_of_ones_own_has_the_quota_by_name() {
        withClients(
                context -> {
                    ClientLimitInterceptor limits = context.getBean(ClientLimitInterceptor.class);
                    RestClient client = RestClient.builder()
                            .requestFactory(SERVER)
                            .requestInterceptor(limits.named("maps"))
                            .build();
                    ClientLimitFilter filter = context.getBean(ClientLimitFilter.class);
                    WebClient reactive = WebClient.builder()
                            .exchangeFunction(REACTIVE_SERVER)
                            .filter(filter.named("maps"))
                            .build();
                    client.get().uri("https://any.example").retrieve().toBodilessEntity();
                    rejects(() ->
                            client.get().uri("https://any.example").retrieve().toBodilessEntity());
                    rejects(() -> reactive.get()
                            .uri("https://any.example")
                            .retrieve()
                            .toBodilessEntity()
                            .block());
                },
                "limiter.clients.maps.limits.day.limit=1",
                "limiter.clients.maps.limits.day.per=1d");
    }
}
