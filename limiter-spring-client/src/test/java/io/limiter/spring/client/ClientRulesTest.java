package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Limits of outgoing calls, {@code limiter.clients}, with a server that is called and with each client of Spring. */
class ClientRulesTest {

    private final AtomicInteger called = new AtomicInteger();

    /** Unique, because a Redis that outlives this JVM knows the limits of earlier runs. */
    private final String name = "c" + UUID.randomUUID();

    private HttpServer server;
    private String host;
    private String uri;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            called.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        host = "localhost:" + server.getAddress().getPort();
        uri = "http://" + host + "/";
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private ApplicationContextRunner inRedis() {
        return Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withConfiguration(Contexts.clients())
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m");
    }

    private ApplicationContextRunner local() {
        return Contexts.local().withConfiguration(Contexts.clients());
    }

    private String[] settings(String... settings) {
        String[] named = settings.clone();
        for (int i = 0; i < named.length; i++) {
            named[i] = "limiter.clients." + name + "." + named[i];
        }
        return named;
    }

    private String[] day(int limit) {
        return settings("hosts=" + host, "timeout=0", "limits.day.limit=" + limit, "limits.day.per=1d");
    }

    private void callByRestClient(BeanFactory beans) {
        beans.getBean(RestClient.Builder.class)
                .build()
                .get()
                .uri(uri)
                .retrieve()
                .toBodilessEntity();
    }

    /** Its builder has another package on each Spring Boot. */
    private void callByRestTemplate(BeanFactory beans) {
        RestTemplate template = ReflectionTestUtils.invokeMethod(beans.getBean("restTemplateBuilder"), "build");
        assertThat(template).isNotNull();
        template.getForEntity(uri, String.class);
    }

    private void callByWebClient(BeanFactory beans) {
        beans.getBean(WebClient.Builder.class)
                .build()
                .get()
                .uri(uri)
                .retrieve()
                .toBodilessEntity()
                .block();
    }

    @Test
    void the_clients_of_all_instances_share_the_permits_of_a_host() {
        inRedis()
                .withPropertyValues(day(5))
                .run(one -> inRedis().withPropertyValues(day(5)).run(other -> {
                    callByRestClient(one);
                    callByRestClient(other);
                    callByRestTemplate(one);
                    callByWebClient(one);
                    callByWebClient(other);
                    assertThatExceptionOfType(InternalLimitExceededException.class)
                            .isThrownBy(() -> callByRestClient(other))
                            .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(5));
                    assertThatExceptionOfType(InternalLimitExceededException.class)
                            .isThrownBy(() -> callByRestTemplate(other));
                    assertThatExceptionOfType(InternalLimitExceededException.class)
                            .isThrownBy(() -> callByWebClient(one));
                    assertThat(called).hasValue(5);
                }));
    }

    @Test
    void services_share_a_quota_in_its_namespace() {
        String[] shared = settings("limits.day.namespace=quota-" + name);
        inRedis()
                .withPropertyValues(day(2))
                .withPropertyValues(shared)
                .withPropertyValues("spring.application.name=shop")
                .run(shop -> inRedis()
                        .withPropertyValues(day(2))
                        .withPropertyValues(shared)
                        .withPropertyValues("spring.application.name=bank")
                        .run(bank -> {
                            callByRestClient(shop);
                            callByRestClient(bank);
                            assertThatExceptionOfType(InternalLimitExceededException.class)
                                    .isThrownBy(() -> callByRestClient(shop));
                            assertThat(called).hasValue(2);
                        }));
    }

    @Test
    void several_limits_are_all_or_nothing() {
        String[] two = settings(
                "hosts=" + host,
                "timeout=0",
                "limits.day.limit=3",
                "limits.day.per=1d",
                "limits.hour.limit=1",
                "limits.hour.per=1h");
        inRedis().withPropertyValues(two).run(context -> {
            callByRestClient(context);
            for (int i = 0; i < 5; i++) {
                assertThatExceptionOfType(RateLimitExceededException.class)
                        .isThrownBy(() -> callByRestClient(context))
                        .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(1));
            }
        });
    }

    @Test
    void a_client_built_by_hand_has_a_limit_by_its_name_and_is_charged_once() {
        local().withPropertyValues(day(3)).run(context -> {
            ClientLimitInterceptor named =
                    context.getBean(ClientLimitInterceptor.class).named(name);
            RestClient byHand = RestClient.builder().requestInterceptor(named).build();
            byHand.get().uri(uri).retrieve().toBodilessEntity();
            context.getBean(RestClient.Builder.class)
                    .requestInterceptor(named)
                    .build()
                    .get()
                    .uri(uri)
                    .retrieve()
                    .toBodilessEntity();
            ClientLimitFilter filter = context.getBean(ClientLimitFilter.class);
            context.getBean(WebClient.Builder.class)
                    .filter(filter.named(name))
                    .build()
                    .get()
                    .uri(uri)
                    .retrieve()
                    .toBodilessEntity()
                    .block();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> byHand.get().uri(uri).retrieve().toBodilessEntity());
            assertThat(called).hasValue(3);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> filter.named("other"))
                    .withMessageContaining("name must be one of limiter.clients")
                    .withMessageContaining("was 'other'");
        });
    }

    static class OwnInterceptor {

        @Bean
        ClientLimitInterceptor other(ClientLimitInterceptor limits) {
            return limits.named("other");
        }
    }

    static class OwnFilter {

        @Bean
        ClientLimitFilter other(ClientLimitFilter limits) {
            return limits.named("other");
        }
    }

    private ApplicationContextRunner with(Class<?> configuration) {
        return local().withPropertyValues(day(1))
                .withPropertyValues("limiter.clients.other.limits.second.rate=1000")
                .withUserConfiguration(configuration);
    }

    @Test
    void clients_have_the_limits_of_their_host_and_an_interceptor_of_the_applications_own() {
        with(OwnInterceptor.class).run(context -> {
            callByRestClient(context);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> callByRestTemplate(context));
        });
    }

    @Test
    void clients_have_the_limits_of_their_host_and_a_filter_of_the_applications_own() {
        with(OwnFilter.class).run(context -> {
            callByWebClient(context);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> callByWebClient(context));
        });
    }

    @Test
    void other_hosts_are_not_limited() {
        String[] other = settings("hosts=*.example.com,localhost:1", "limits.day.limit=1", "limits.day.per=1d");
        local().withPropertyValues(other).run(context -> {
            callByRestClient(context);
            callByRestClient(context);
            assertThat(called).hasValue(2);
        });
    }

    @Test
    void a_call_waits_for_its_permit() {
        String[] paced = settings("hosts=" + host, "timeout=2m", "limits.second.rate=10", "limits.second.capacity=1");
        local().withPropertyValues(paced).run(context -> {
            long start = System.nanoTime();
            callByRestClient(context);
            callByRestTemplate(context);
            callByWebClient(context);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
        });
    }

    @Test
    void a_web_client_waits_without_a_thread_and_a_cancelled_call_returns_its_permit() {
        String[] slow = settings(
                "hosts=" + host, "timeout=1d", "limits.hour.rate=1", "limits.hour.per=1h", "limits.hour.capacity=1");
        local().withPropertyValues(slow).run(context -> {
            callByWebClient(context);
            WebClient client = context.getBean(WebClient.Builder.class).build();
            for (int i = 0; i < 50; i++) {
                // If each kept its reservation, the 25th would have to wait for longer than a day.
                Disposable call =
                        client.get().uri(uri).retrieve().toBodilessEntity().subscribe();
                assertThat(call.isDisposed()).isFalse();
                call.dispose();
            }
            assertThat(called).hasValue(1);
        });
    }

    @Test
    void a_call_of_a_web_client_on_an_event_loop_goes_on_there() {
        inRedis().withPropertyValues(day(2)).run(context -> {
            List<String> threads = new CopyOnWriteArrayList<>();
            WebClient client = context.getBean(WebClient.Builder.class)
                    .filter((request, next) -> {
                        threads.add(Thread.currentThread().getName());
                        return next.exchange(request);
                    })
                    .build();
            Mono<?> call = client.get().uri(uri).retrieve().toBodilessEntity();
            // The second one is made by the thread that has the first one's response.
            call.then(call).block();
            assertThat(threads).last().asString().startsWith("reactor-http-");
        });
    }

    @Test
    void a_client_may_reject_as_if_the_quota_were_the_callers_or_be_in_shadow_mode() {
        String[] callers = settings("internal=false");
        local().withPropertyValues(day(1)).withPropertyValues(callers).run(context -> {
            callByRestClient(context);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> callByRestClient(context))
                    .isNotInstanceOf(InternalLimitExceededException.class);
        });
        local().withPropertyValues(day(1))
                .withPropertyValues(settings("enforce=false"))
                .run(context -> {
                    callByRestClient(context);
                    callByRestClient(context);
                    assertThat(called).hasValue(3);
                });
    }

    @Test
    void the_observation_of_a_call_includes_its_wait_and_its_rejection() {
        MeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        String[] paced = settings("hosts=" + host, "timeout=2m", "limits.second.rate=10", "limits.second.capacity=1");
        local().withPropertyValues(paced).run(context -> {
            LimiterStatistics statistics = context.getBean(LimiterFactory.class).statistics();
            // On a slow machine, there may be a permit for the second one already.
            for (int i = 0; i < 100 && waitedNanos(statistics) == 0; i++) {
                context.getBean(RestClient.Builder.class)
                        .observationRegistry(observations)
                        .build()
                        .get()
                        .uri(uri)
                        .retrieve()
                        .toBodilessEntity();
            }
            assertThat(waitedNanos(statistics)).isPositive();
            assertThat(meters.get("http.client.requests").timer().totalTime(TimeUnit.NANOSECONDS))
                    .isGreaterThanOrEqualTo(waitedNanos(statistics));
        });
        local().withPropertyValues(day(1)).run(context -> {
            context.getBean(ClientRules.class).find(URI.create(uri)).acquire();
            assertThat(catchThrowable(() -> context.getBean(WebClient.Builder.class)
                            .observationRegistry(observations)
                            .build()
                            .get()
                            .uri(uri)
                            .retrieve()
                            .toBodilessEntity()
                            .block()))
                    .isInstanceOf(InternalLimitExceededException.class);
            assertThat(meters.get("http.client.requests")
                            .tag("exception", "InternalLimitExceededException")
                            .timer()
                            .count())
                    .isEqualTo(1);
        });
    }

    private static long waitedNanos(LimiterStatistics statistics) {
        return statistics.totals().stream()
                .mapToLong(limit -> limit.waited().toNanos())
                .sum();
    }

    @Test
    void disabled_limits_limit_no_client() {
        Contexts.plain()
                .withConfiguration(Contexts.clients())
                .withPropertyValues(day(1))
                .withPropertyValues("limiter.enabled=false")
                .run(context -> {
                    callByRestClient(context);
                    callByRestClient(context);
                    assertThat(called).hasValue(2);
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            maps.hosts=a.example                 | limiter.clients.maps.limits must have at least one limit
            maps.limits.day.limit=5              | limiter.clients.maps.limits.day
            maps.limits.day.rate=0               | limiter.clients.maps.limits.day.rate must be between
            good.pause-statuses=429,200          | limiter.clients.good.pause-statuses must be statuses from 400 to 599, such as 429,503, was 200: to have no pauses, set pause-at-most=0
            good.pause-headers=Retry After       | limiter.clients.good.pause-headers must be names of headers, such as Retry-After, was 'Retry After'
            maps.limits.day.enforce=false        | limiter.clients.maps.limits.day.enforce has no effect on a client: set enforce of the client
            maps.limits.day.timeout=1            | limiter.clients.maps.limits.day.timeout has no effect
            maps.limits.day.kind=concurrent      | limiter.clients.maps.limits.day.kind must be one of permits that are spent
            maps.limits.day.ban.after=5          | limiter.clients.maps.limits.day.ban has no effect
            good.timeout=-1                      | limiter.clients.good.timeout must be between
            good.hosts=http://a.example/         | limiter.clients.good.hosts must be hosts such as api.example.com
            good.hosts=a.example:65536           | limiter.clients.good.hosts must have ports from 1 to 65535, was 'a.example:65536'
            good.hosts=b.example.,a.example      | limiter.clients.good.hosts must not have a host of another client, was 'b.example.', which limiter.clients.first
            good.hots=a.example                  | limiter.clients.good.hots is not a property
            """)
    void an_invalid_setting_fails_at_startup_and_is_named(String setting, String message) {
        local().withPropertyValues(
                        "limiter.clients.first.hosts=B.example",
                        "limiter.clients.first.limits.second.rate=5",
                        "limiter.clients.good.limits.second.rate=5",
                        "limiter.clients." + setting)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(message));
    }
}
