package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Pauses after responses of a third party, a real server, in applications that share a Redis. */
class ClientPausesTest {

    private final AtomicInteger called = new AtomicInteger();
    private final String name = "p" + UUID.randomUUID();
    private final LiveKey key = LiveKey.of(name);

    private volatile int status = 429;
    private volatile Map<String, String> headers = Map.of("Retry-After", "30");
    private volatile CountDownLatch answers = new CountDownLatch(0);
    /** For the server and for simultaneous calls, because the common pool may have only one thread. */
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private HttpServer server;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            called.incrementAndGet();
            try {
                answers.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        executor.shutdownNow();
    }

    static class Events {

        final List<ClientPausedEvent> all = new CopyOnWriteArrayList<>();

        @EventListener
        public void paused(ClientPausedEvent event) {
            all.add(event);
        }
    }

    private ApplicationContextRunner with(ApplicationContextRunner runner, String... settings) {
        List<String> named = new ArrayList<>();
        named.add("hosts=localhost:" + server.getAddress().getPort());
        named.add("limits.second.rate=1000");
        named.addAll(List.of(settings));
        return runner.withConfiguration(Contexts.clients())
                .withBean(Events.class)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(named.stream()
                        .map(setting -> "limiter.clients." + name + "." + setting)
                        .toArray(String[]::new));
    }

    private ApplicationContextRunner inRedis(String... settings) {
        return with(Contexts.plain().withConfiguration(Contexts.redis()), settings)
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "limiter.namespace=" + name,
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m");
    }

    private ApplicationContextRunner local(String... settings) {
        return with(Contexts.local(), settings);
    }

    private int callByRestClient(BeanFactory beans) {
        return beans.getBean(RestClient.Builder.class)
                .build()
                .get()
                .uri("http://localhost:" + server.getAddress().getPort() + "/")
                .exchange((request, response) -> response.getStatusCode().value());
    }

    private int callByWebClient(BeanFactory beans) {
        return beans.getBean(WebClient.Builder.class)
                .build()
                .get()
                .uri("http://localhost:" + server.getAddress().getPort() + "/")
                .exchangeToMono(response ->
                        response.releaseBody().thenReturn(response.statusCode().value()))
                .block();
    }

    private int call(boolean reactive, BeanFactory beans) {
        return reactive ? callByWebClient(beans) : callByRestClient(beans);
    }

    private Decision rejected(boolean reactive, BeanFactory beans) {
        InternalLimitExceededException rejection =
                catchThrowableOfType(InternalLimitExceededException.class, () -> call(reactive, beans));
        assertThat(rejection).as("the rejection of a call in the pause").isNotNull();
        return rejection.decision();
    }

    private LiveLimit ban(BeanFactory beans) {
        return beans.getBean(LiveLimits.class).get(name, key).orElseThrow(AssertionError::new);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_calls_of_all_instances_pause_as_long_as_one_response_requested(boolean reactive) {
        inRedis()
                .run(one -> inRedis().run(other -> {
                    assertThat(call(reactive, one)).isEqualTo(429);
                    // Here immediately, and there as soon as it is announced.
                    assertThat(rejected(reactive, one).retryAfter().orElseThrow())
                            .isBetween(Duration.ofSeconds(25), Duration.ofSeconds(35));
                    Eventually.that(() -> assertThat(ban(other).settings()).isEqualTo(LiveSettings.BANNED));
                    int sent = called.get();
                    assertThat(rejected(reactive, other).retryAfter().orElseThrow())
                            .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(35));
                    assertThat(called).hasValue(sent);

                    LiveLimit ban = ban(other);
                    assertThat(Duration.between(ban.since(), ban.expiresAt().orElseThrow()))
                            .isBetween(Duration.ofSeconds(28), Duration.ofSeconds(31));
                    assertThat(ban.who()).isEqualTo("limiter.clients");
                    assertThat(ban.why()).isEqualTo("answered 429 and requested a pause of PT30S");
                }));
    }

    @Test
    void several_limits_of_a_client_pause_together() {
        inRedis("limits.day.limit=1000", "limits.day.per=1d").run(one -> {
            callByRestClient(one);
            Eventually.that(() -> assertThat(one.getBean(LiveLimits.class).get(name + "/day", key))
                    .isPresent());
            assertThat(rejected(false, one).source()).isEqualTo(Decision.Source.OVERRIDE);
            assertThat(called).hasValue(1);
        });
    }

    @Test
    void one_event_and_one_meter_tell_of_a_pause() {
        inRedis().run(one -> {
            callByRestClient(one);
            Events events = one.getBean(Events.class);
            Eventually.that(() -> assertThat(events.all).hasSize(1));
            ClientPausedEvent event = events.all.get(0);
            assertThat(event.client()).isEqualTo(name);
            assertThat(event.status()).isEqualTo(429);
            assertThat(event.inFleet()).isTrue();
            assertThat(event.length()).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(32));
            assertThat(one.getBean(MeterRegistry.class)
                            .get("limiter.client.pauses")
                            .tag("client", name)
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void a_longer_pause_of_another_instance_prolongs_it_and_a_shorter_one_does_not() {
        answers = new CountDownLatch(1);
        inRedis()
                .run(one -> inRedis().run(other -> {
                    List<CompletableFuture<Integer>> calls = Stream.of(one, other, one)
                            .map(each -> CompletableFuture.supplyAsync(() -> callByRestClient(each), executor))
                            .toList();
                    Eventually.that(() -> assertThat(called).hasValue(3));
                    ClientPauses ofOne = one.getBean(ClientPauses.class);
                    ClientPauses ofOther = other.getBean(ClientPauses.class);
                    answered(ofOne, one, "10");
                    Eventually.that(() -> assertThat(lasts(other)).isBetween(9L, 11L));
                    answered(ofOther, other, "40");
                    Eventually.that(() -> assertThat(lasts(one)).isBetween(39L, 41L));
                    answered(ofOne, one, "20");
                    answers.countDown();
                    calls.forEach(CompletableFuture::join);
                    assertThat(lasts(one)).isBetween(39L, 41L);
                    assertThat(rejected(false, one).retryAfter().orElseThrow()).isGreaterThan(Duration.ofSeconds(25));
                }));
    }

    private void answered(ClientPauses pauses, BeanFactory beans, String retryAfter) {
        HttpHeaders requested = new HttpHeaders();
        requested.set("Retry-After", retryAfter);
        pauses.answered(
                beans.getBean(ClientRules.class)
                        .find(URI.create(
                                "http://localhost:" + server.getAddress().getPort() + "/")),
                429,
                requested);
    }

    private long lasts(BeanFactory beans) {
        LiveLimit ban = ban(beans);
        return Duration.between(ban.since(), ban.expiresAt().orElseThrow()).toSeconds();
    }

    @ParameterizedTest
    @CsvSource({
        "503, Retry-After, 30, true",
        "503, None, 0, false",
        "429, None, 0, false",
        "500, Retry-After, 30, false",
        "200, Retry-After, 30, false",
        "429, RateLimit, '\"day\";r=0;t=30', true",
        "429, RateLimit, '\"day\";r=3;t=30', false"
    })
    void only_a_429_or_503_that_says_until_when_pauses(int answer, String header, String value, boolean pauses) {
        status = answer;
        headers = Map.of(header, value);
        local().run(one -> {
            assertThat(callByRestClient(one)).isEqualTo(answer);
            if (pauses) {
                rejected(false, one);
                rejected(true, one);
            } else {
                assertThat(callByWebClient(one)).isEqualTo(answer);
            }
            assertThat(called).hasValue(pauses ? 1 : 2);
        });
    }

    @Test
    void a_pause_beyond_the_bound_is_cut_to_it_and_logged() {
        headers = Map.of("Retry-After", "999999999999999999999");
        inRedis("pause-at-most=20").run(one -> {
            try (LogLines log = new LogLines(ClientPauses.class)) {
                callByRestClient(one);
                Eventually.that(() -> assertThat(lasts(one)).isBetween(19L, 21L));
                Eventually.that(() -> assertThat(log.all())
                        .singleElement()
                        .asString()
                        .startsWith("WARN The third party of limiter.clients." + name
                                + " answered 429 and requested a pause of PT24000H, of which pause-at-most allows"
                                + " PT20S: its calls pause for PT"));
            }
            assertThat(rejected(false, one).retryAfter().orElseThrow()).isLessThan(Duration.ofSeconds(24));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause-at-most=0", "enforce=false"})
    void a_client_without_pauses_or_in_shadow_mode_goes_on(String setting) {
        local(setting).run(one -> {
            callByRestClient(one);
            callByWebClient(one);
            assertThat(called).hasValue(2);
        });
    }

    @Test
    void disabled_limits_have_no_pauses() {
        with(Contexts.plain()).withPropertyValues("limiter.enabled=false").run(one -> {
            callByRestClient(one);
            callByRestClient(one);
            assertThat(called).hasValue(2);
        });
    }

    @Test
    void a_call_that_waits_for_its_permit_when_the_pause_begins_is_not_sent() {
        answers = new CountDownLatch(1);
        local("limits.second.rate=1", "limits.second.capacity=1", "timeout=1m").run(one -> {
            LimiterStatistics statistics = one.getBean(LimiterFactory.class).statistics();
            for (boolean reactive : new boolean[] {false, true}) {
                called.set(0);
                answers = new CountDownLatch(1);
                CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> callByRestClient(one), executor);
                Eventually.that(() -> assertThat(called).hasValue(1));
                long granted = granted(statistics);
                CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> call(reactive, one), executor);
                Eventually.that(() -> assertThat(granted(statistics)).isGreaterThan(granted));
                answers.countDown();
                assertThat(first.join()).isEqualTo(429);
                assertThat(second)
                        .failsWithin(Duration.ofMinutes(1))
                        .withThrowableThat()
                        .withCauseInstanceOf(InternalLimitExceededException.class);
                assertThat(called).hasValue(1);
                one.getBean(ClientPauses.class).of(name, name).lift(Instant.now());
            }
        });
    }

    private static long granted(LimiterStatistics statistics) {
        return statistics.totals().stream().mapToLong(LimiterTotals::granted).sum();
    }

    @Test
    void a_live_limit_by_an_operator_is_left_alone() {
        inRedis().run(one -> {
            LiveLimits live = one.getBean(LiveLimits.class);
            live.put(name, key, LiveSettings.EXEMPT, ChangeNote.of("ann", "a test of theirs"), 0);
            callByRestClient(one);
            List<ClientPausedEvent> events = one.getBean(Events.class).all;
            Eventually.that(() -> assertThat(events).singleElement().matches(event -> !event.inFleet()));
            assertThat(ban(one).who()).isEqualTo("ann");
            rejected(false, one);
        });
    }

    @Test
    void an_operator_ends_the_pause_in_all_instances() {
        inRedis()
                .run(one -> inRedis().run(other -> {
                    callByRestClient(one);
                    Eventually.that(() -> assertThat(ban(other)).isNotNull());
                    other.getBean(LiveLimits.class)
                            .remove(
                                    name,
                                    key,
                                    ChangeNote.of("ann", "they are up again"),
                                    ban(other).version());
                    status = 200;
                    headers = Map.of();
                    assertThat(callByRestClient(other)).isEqualTo(200);
                    Eventually.that(() -> assertThat(one.getBean(ClientPauses.class)
                                    .of(name, name)
                                    .leftHere())
                            .isZero());
                    assertThat(callByRestClient(one)).isEqualTo(200);
                }));
    }

    @Test
    void without_live_limits_only_this_instance_pauses() {
        inRedis()
                .withPropertyValues("limiter.live.enabled=false")
                .run(one -> inRedis()
                        .withPropertyValues("limiter.live.enabled=false")
                        .run(other -> {
                            callByRestClient(one);
                            assertThatExceptionOfType(RateLimitExceededException.class)
                                    .isThrownBy(() -> callByRestClient(one));
                            assertThat(callByRestClient(other)).isEqualTo(429);
                            Events events = one.getBean(Events.class);
                            Eventually.that(() -> assertThat(events.all).hasSize(1));
                            assertThat(events.all.get(0).inFleet()).isFalse();
                        }));
    }
}
