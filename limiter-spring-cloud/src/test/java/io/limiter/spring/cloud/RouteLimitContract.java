package io.limiter.spring.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.testing.Eventually;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes with the filter Limit, on either server of the gateway. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RouteLimitContract {

    private final TestGateway.Server server;
    private final Class<?> application;
    private final String retry;
    private final List<TestGateway> started = new ArrayList<>();
    private TestGateway gateway;

    /** @param retry the filter that repeats a request which is answered with 503 */
    RouteLimitContract(TestGateway.Server server, Class<?> application, String retry) {
        this.server = server;
        this.application = application;
        this.retry = retry;
    }

    @BeforeAll
    void start() {
        gateway = open(List.of());
    }

    /** Together, because closing one ends the threads of Netty that they share. */
    @AfterAll
    void stop() {
        started.forEach(TestGateway::close);
    }

    final TestGateway gateway() {
        return gateway;
    }

    private TestGateway open(List<String> redis, String... more) {
        TestGateway opened = server.start(
                application,
                server.route(0, "orders", "filters[0]=Limit=orders"),
                server.route(1, "before"),
                server.route(2, "posts", "filters[0].name=Limit", "filters[0].args.rule=posts"),
                server.route(3, "mail", "filters[0]=Limit=mail"),
                server.route(4, "small", "filters[0]=Limit=small"),
                server.route(5, "costly", "filters[0]=Limit=costly"),
                server.route(6, "behind", "filters[0]=AddRequestHeader=X-Caller,behind", "filters[1]=Limit=orders"),
                server.route(7, "ahead", "filters[0]=Limit=orders", "filters[1]=AddRequestHeader=X-Caller,ahead"),
                server.route(8, "parcel", "filters[0]=Limit=parcel"),
                server.route(9, "model", "filters[0]=Limit=tokens"),
                server.route(10, "retried", "filters[0]=Limit=tokens", "filters[1]=" + retry),
                server.route(11, "retries", "filters[0]=" + retry, "filters[1]=Limit=tokens"),
                server.route(12, "path"),
                server.route(
                        13, "internal", "filters[0]=RemoveRequestHeader=X-Forwarded-For", "filters[1]=Limit=internal"),
                List.of(
                        // Reactor's, which the servlet gateway would use because it is there, holds bodies until they
                        // have ended.
                        "spring.http.client.factory=jdk",
                        "spring.http.clients.imperative.factory=jdk",
                        "limiter.http.orders.key=header:X-Caller",
                        "limiter.http.orders.limits.one.rate=1",
                        "limiter.http.orders.limits.one.capacity=5",
                        "limiter.http.small.key=header:X-Caller",
                        "limiter.http.small.limits.one.rate=10",
                        "limiter.http.small.limits.one.capacity=4",
                        "limiter.http.costly.key=header:X-Caller",
                        "limiter.http.costly.cost=#{5}",
                        "limiter.http.costly.limits.one.rate=1",
                        "limiter.http.costly.limits.one.capacity=5",
                        "limiter.http.mail.key=header:X-Caller",
                        "limiter.http.mail.limits.one.limit=1",
                        "limiter.http.mail.limits.one.per=1h",
                        "limiter.http.parcel.key=header:X-Caller",
                        "limiter.http.parcel.limits.one.limit=1",
                        "limiter.http.parcel.limits.one.per=1h",
                        "limiter.http.site.path=/parcel",
                        "limiter.http.site.key=header:X-Caller",
                        "limiter.http.site.limits.one.limit=2",
                        "limiter.http.site.limits.one.per=1h",
                        "limiter.http.tokens.key=header:X-Caller",
                        "limiter.http.tokens.cost=50",
                        "limiter.http.tokens.settle[0]=response-json:/usage/total_tokens",
                        "limiter.http.tokens.settle[1]=response-json:/message/usage/input_tokens+/usage/output_tokens",
                        "limiter.http.tokens.settle[2]=response-header:X-Usage-Tokens",
                        "limiter.http.tokens.limits.one.limit=1000",
                        "limiter.http.tokens.limits.one.per=1h",
                        "limiter.http.paths.path=/path",
                        "limiter.http.paths.key=header:X-Caller",
                        "limiter.http.paths.cost=50",
                        "limiter.http.paths.settle=response-json:/usage/total_tokens",
                        "limiter.http.paths.limits.one.limit=1000",
                        "limiter.http.paths.limits.one.per=1h",
                        "limiter.http.internal.exempt-addresses=127.0.0.0/8,::1",
                        "limiter.http.internal.limits.one.rate=1",
                        "limiter.http.posts.methods=POST",
                        "limiter.http.posts.key=all",
                        "limiter.http.posts.limits.one.limit=1",
                        "limiter.http.posts.limits.one.per=1h",
                        "limiter.http.before.path=/before/**",
                        "limiter.http.before.key=header:X-Caller",
                        "limiter.http.before.cost=#{1}",
                        "limiter.http.before.limits.one.rate=1",
                        "limiter.http.before.limits.one.capacity=5"),
                redis,
                List.of(more));
        started.add(opened);
        return opened;
    }

    private void grants(int capacity, int rate, String path) {
        int before = TestGateway.served();
        long start = System.nanoTime();
        List<Integer> statuses = gateway.load(path, 60);
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(statuses).isSubsetOf(204, 429);
        int granted = (int) statuses.stream().filter(status -> status == 204).count();
        assertThat(granted).isBetween(capacity, (int) (capacity + rate * seconds));
        assertThat(TestGateway.served() - before).isEqualTo(granted);
    }

    @Test
    void grants_the_capacity_and_the_rate_under_load() {
        grants(5, 1, "/orders");
        grants(4, 10, "/small");
    }

    @Test
    void a_rule_with_a_path_limits_before_the_route() {
        grants(5, 1, "/before");
    }

    @Test
    void shows_its_limit_rather_than_that_of_the_server_behind_it() {
        HttpResponse<String> granted = gateway.send("/orders", TestGateway.anyone());
        assertThat(granted.headers().allValues("RateLimit"))
                .singleElement()
                .asString()
                .startsWith("\"orders\";r=4");
        assertThat(granted.headers().allValues("RateLimit-Policy")).hasSize(1);
    }

    @Test
    void answers_a_rejection_with_a_problem_and_when_to_retry() {
        String caller = TestGateway.anyone();
        assertThat(gateway.send("/mail", caller).statusCode()).isEqualTo(204);
        HttpResponse<String> response = gateway.send("/mail", caller);
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.headers().allValues("Retry-After"))
                .singleElement()
                .satisfies(seconds -> assertThat(Integer.parseInt(seconds)).isBetween(3000, 3600));
        assertThat(response.headers().allValues("RateLimit"))
                .singleElement()
                .asString()
                .startsWith("\"mail\";r=0");
        assertThat(response.body()).contains("\"violated-policies\":[\"mail\"]", "\"instance\":\"/mail\"");
    }

    @Test
    void a_request_that_the_route_rejects_takes_nothing_of_a_rule_before_it() {
        String caller = TestGateway.anyone();
        assertThat(gateway.send("/parcel", caller).statusCode()).isEqualTo(204);
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> rejected = gateway.send("/parcel", caller);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.body()).contains("\"violated-policies\":[\"parcel\"]");
            assertThat(rejected.headers().firstValue("RateLimit"))
                    .hasValueSatisfying(limits -> assertThat(limits).contains("\"site\";r=1"));
        }
    }

    @Test
    void charges_the_cost_of_a_request() {
        String caller = TestGateway.anyone();
        assertThat(gateway.send("/costly", caller).statusCode()).isEqualTo(204);
        assertThat(gateway.send("/costly", caller).statusCode()).isEqualTo(429);
    }

    private void assertTokens(String rule, String caller, int expected) {
        Limiter tokens = gateway.context()
                .getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("httpLimit:"))
                .build(rule, FixedWindow.of(1000, Duration.ofHours(1)))
                .on(caller);
        Eventually.that(() -> assertThat(1000 - tokens.peek().remaining()).isEqualTo(expected));
    }

    private double unsettled() {
        return gateway.context()
                .getBean(AnnotationLimitAdvisor.class)
                .callCounts()
                .countUnsettled("tokens");
    }

    @ParameterizedTest
    @CsvSource({"openai, 42", "anthropic, 40", "json, 42", "header, 12"})
    void a_response_of_the_server_behind_it_says_the_cost(String shape, int tokens) {
        String caller = TestGateway.anyone();
        HttpResponse<String> response = gateway.sendAsync(
                        "/model?" + shape, "X-Caller", caller, "Accept-Encoding", "gzip")
                .join();
        assertThat(response.headers().firstValue("RateLimit"))
                .hasValueSatisfying(limits -> assertThat(limits).startsWith("\"tokens\";r=950"));
        if (shape.equals("openai")) {
            assertThat(response.body().lines().filter(line -> !line.isEmpty()))
                    .containsExactlyElementsOf(TestModel.OPENAI.stream()
                            .map(event -> "data: " + event)
                            .toList());
        }
        assertTokens("tokens", caller, tokens);
    }

    @Test
    void the_body_of_the_request_passes_too() {
        String caller = TestGateway.anyone();
        assertThat(gateway.post("/model?counts", caller, "{\"stream\":true}").statusCode())
                .isEqualTo(200);
        assertTokens("tokens", caller, 15);
    }

    @Test
    void a_rule_with_a_path_asks_for_no_compression_too() {
        String caller = TestGateway.anyone();
        gateway.sendAsync("/path?json", "X-Caller", caller, "Accept-Encoding", "gzip")
                .join();
        assertTokens("paths", caller, 42);
    }

    @Test
    void a_response_without_a_number_leaves_the_estimate() {
        String caller = TestGateway.anyone();
        double before = unsettled();
        assertThat(gateway.send("/model?error", caller).statusCode()).isEqualTo(429);
        Eventually.that(() -> assertThat(unsettled()).isEqualTo(before + 1));
        assertTokens("tokens", caller, 50);
    }

    @Test
    void a_stream_passes_event_by_event() throws Exception {
        String caller = TestGateway.anyone();
        TestModel.begin();
        HttpResponse<InputStream> response = gateway.open("/model?flushed", caller);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("data: " + TestModel.ANTHROPIC.get(0));
            assertTokens("tokens", caller, 50);
            TestModel.goOn();
            assertThat(lines.lines().toList()).contains("data: " + TestModel.ANTHROPIC.get(2));
        }
        assertTokens("tokens", caller, 40);
    }

    @Test
    void a_caller_that_leaves_stays_charged_for_the_estimate() throws Exception {
        String caller = TestGateway.anyone();
        double before = unsettled();
        HttpResponse<InputStream> response = gateway.open("/model?long", caller);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("data: " + TestModel.ANTHROPIC.get(0));
        }
        Eventually.that(() -> assertThat(unsettled()).isEqualTo(before + 1));
        assertTokens("tokens", caller, 50);
    }

    /** If the rule is applied to each try, those before the last one stay charged for their estimates. */
    @ParameterizedTest
    @CsvSource({"retried, 42, 0", "retries, 92, 1"})
    void a_request_that_is_repeated_is_settled_by_its_last_response(String route, int tokens, int estimates) {
        String caller = TestGateway.anyone();
        double before = unsettled();
        assertThat(gateway.send("/" + route + "?busy", caller).statusCode()).isEqualTo(200);
        assertTokens("tokens", caller, tokens);
        assertThat(unsettled()).isEqualTo(before + estimates);
    }

    @Test
    void answers_400_to_a_request_without_a_key() {
        assertThat(gateway.sendWithoutKey("/orders").statusCode()).isEqualTo(400);
    }

    @Test
    void sees_what_filters_before_it_have_changed() {
        assertThat(gateway.sendWithoutKey("/behind").statusCode()).isIn(204, 429);
        assertThat(gateway.sendWithoutKey("/ahead").statusCode()).isEqualTo(400);
    }

    @Test
    void a_filter_before_it_exempts_no_address_by_removing_a_header() {
        String forwarded = "X-Forwarded-For";
        assertThat(gateway.sendAsync("/internal", forwarded, "203.0.113.9")
                        .join()
                        .headers()
                        .firstValue("RateLimit"))
                .hasValueSatisfying(limits -> assertThat(limits).startsWith("\"internal\";r="));
        // Of the server behind it.
        assertThat(gateway.sendWithoutKey("/internal").headers().firstValue("RateLimit"))
                .hasValue("\"upstream\";r=7");
    }

    @Test
    void applies_only_to_the_methods_of_the_rule() {
        assertThat(gateway.load("/posts", 3)).containsOnly(204);
    }

    @Test
    void answers_503_while_redis_is_unavailable_if_it_fails_closed() {
        TestGateway alone = open(TestGateway.withoutRedis(), "limiter.on-failure=deny");
        assertThat(alone.send("/orders", "ann").statusCode()).isEqualTo(503);
    }

    @Test
    void grants_all_if_limits_are_disabled() {
        TestGateway disabled = open(List.of(), "limiter.enabled=false");
        assertThat(disabled.load("/orders", 10)).containsOnly(204);
    }

    @Test
    void a_rule_that_does_not_exist_fails_at_startup() {
        assertThatThrownBy(() -> open(List.of(), server.setting("routes[1].filters[0]=Limit=order")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "limiter.http.order is named by a route, but is not a rule: set"
                                + " limiter.http.order.limits.second.rate=10, or name one of [costly, internal, mail, orders, parcel, posts, small, tokens]");
    }

    @Test
    void a_rule_with_a_path_is_for_no_route() {
        assertThatThrownBy(() -> gateway.context().getBean(RouteRules.class).named("before"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "limiter.http.before.path applies the rule without a route, and a route names it: remove one of them");
    }
}
