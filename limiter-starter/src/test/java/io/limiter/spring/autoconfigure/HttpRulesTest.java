package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.web.HttpRule;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.settings.InvalidSettingException;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;

class HttpRulesTest {

    @Test
    void rules_have_an_order_and_rules_by_user_come_later() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(LimiterFactory.class, () -> factory)
                .withPropertyValues(
                        "limiter.http.b.path=/b",
                        "limiter.http.b.order=2",
                        "limiter.http.b.limits.one.limit=1",
                        "limiter.http.b.limits.one.per=60",
                        "limiter.http.d.path=/d",
                        "limiter.http.d.limits.two.rate=6",
                        "limiter.http.d.limits.one.rate=5",
                        "limiter.http.c.path=/a,/c",
                        "limiter.http.c.limits.one.rate=5",
                        "limiter.http.u.path=/u",
                        "limiter.http.u.key=user",
                        "limiter.http.u.limits.one.kind=sliding-log",
                        "limiter.http.u.limits.one.limit=3",
                        "limiter.http.u.limits.one.per=1m")
                .run(context -> {
                    ConfiguredRules rules = context.getBean(ConfiguredRules.class);
                    assertThat(rules.beforeSecurity().rules())
                            .extracting(HttpRule::name)
                            .containsExactly("c", "d", "b");
                    assertThat(rules.behindSecurity().rules())
                            .extracting(HttpRule::name)
                            .containsExactly("u");
                    assertThat(factory.names()).containsExactly("b", "c", "d/one", "d/two", "u");
                    assertThat(factory.built().get(4).prefix()).isEqualTo("httpLimit:");
                });
    }

    @Test
    void a_limit_of_a_rule_and_its_plans_have_a_period_of_the_calendar() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(LimiterFactory.class, () -> factory)
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.plan=claim:plan",
                        "limiter.http.api.limits.month.limit=1000",
                        "limiter.http.api.limits.month.per=month",
                        "limiter.http.api.limits.month.zone=Europe/Berlin",
                        "limiter.http.api.limits.month.anchor=2026-01-15",
                        "limiter.http.api.limits.month.plans.pro.limit=5000",
                        "limiter.http.api.limits.month.plans.yearly.per=year")
                .run(context -> {
                    context.getBean(ConfiguredRules.class).behindSecurity();
                    ZoneId berlin = ZoneId.of("Europe/Berlin");
                    LocalDate anchor = LocalDate.of(2026, 1, 15);
                    CalendarPeriod month = CalendarPeriod.MONTH.in(berlin).from(anchor);
                    CalendarPeriod year = CalendarPeriod.YEAR.in(berlin).from(anchor);
                    assertThat(factory.built())
                            .extracting(RecordingLimiterFactory.Built::limit)
                            .contains(
                                    FixedWindow.of(1000, month),
                                    FixedWindow.of(5000, month),
                                    FixedWindow.of(1000, year));
                });
    }

    @Test
    void a_resolver_finds_the_plans_of_requests_whose_user_is_known() {
        List<PlanRequest> requests = new ArrayList<>();
        PlanResolver resolver = request -> {
            requests.add(request);
            return request.request().header("X-Tenant");
        };
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(PlanResolver.class, () -> resolver)
                .withPropertyValues(
                        "limiter.http.a.path=/a",
                        "limiter.http.a.limits.one.limit=1",
                        "limiter.http.a.limits.one.per=60",
                        "limiter.http.a.limits.one.plans.acme.limit=2",
                        "limiter.http.a.limits.two.limit=9",
                        "limiter.http.a.limits.two.per=1d",
                        "limiter.http.b.path=/b",
                        "limiter.http.b.limits.one.rate=5")
                .run(context -> {
                    ConfiguredRules rules = context.getBean(ConfiguredRules.class);
                    assertThat(rules.beforeSecurity().rules()).hasSize(1);
                    assertThat(rules.behindSecurity().rules()).hasSize(1);
                    Filter filter = context.getBean("limiterHttpUserFilter", FilterRegistrationBean.class)
                            .getFilter();
                    assertThat(status(filter, "other")).isEqualTo(200);
                    assertThat(status(filter, "other")).isEqualTo(429);
                    assertThat(status(filter, "acme")).isEqualTo(200);
                    assertThat(status(filter, "acme")).isEqualTo(429);
                    assertThat(requests).hasSize(4).allSatisfy(request -> {
                        assertThat(request.limit())
                                .as("the limit that has plans")
                                .isEqualTo("a/one");
                        assertThat(request.key()).isEqualTo("127.0.0.1");
                        assertThat(request.method()).isNull();
                        assertThat(request.arguments()).isEmpty();
                    });
                });
    }

    private static int status(Filter filter, String tenant) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
        request.addHeader("X-Tenant", tenant);
        return status(filter, request);
    }

    private static int status(Filter filter, HttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, new MockFilterChain());
        return response.getStatus();
    }

    /** Behind a proxy that is not known, all would be exempt. */
    @Test
    void a_request_with_a_forwarded_header_of_an_unknown_proxy_is_never_exempt() {
        try (LogLines log = new LogLines("io.limiter.spring.autoconfigure.ConfiguredRules")) {
            Contexts.web()
                    .withConfiguration(Contexts.mvc())
                    .withPropertyValues(
                            "limiter.http.a.path=/a",
                            "limiter.http.a.exempt-addresses=127.0.0.0/8, 10.0.0.0/8",
                            "limiter.http.a.limits.one.limit=1",
                            "limiter.http.a.limits.one.per=60")
                    .run(context -> {
                        assertThat(log.all())
                                .contains("INFO limiter.http.a does not limit requests from [127.0.0.0/8, 10.0.0.0/8]");
                        Filter filter = context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                                .getFilter();
                        for (int i = 0; i < 3; i++) {
                            assertThat(status(filter, "any")).isEqualTo(200);
                        }
                        assertThat(context.getBean(AnnotationLimitAdvisor.class)
                                        .callCounts()
                                        .skipped("a"))
                                .isEqualTo(3);
                        assertThat(status(filter, forwarded("10.1.1.1"))).isEqualTo(200);
                        assertThat(status(filter, forwarded("10.1.1.1"))).isEqualTo(429);
                        assertThat(status(filter, replaced("10.1.1.2")))
                                .as("replaced by a filter")
                                .isEqualTo(200);
                        assertThat(status(filter, replaced("10.1.1.2"))).isEqualTo(429);
                        MockHttpServletRequest nameless = new MockHttpServletRequest("GET", "/a");
                        nameless.addHeader("X-Real-IP", "203.0.113.9");
                        assertThat(status(filter, nameless))
                                .as("of a proxy that does not name the caller, with the key of the address above")
                                .isEqualTo(429);
                    });
            for (String hidden : List.of(
                    "server.forward-headers-strategy=native",
                    "spring.main.cloud-platform=kubernetes",
                    "server.tomcat.remoteip.remote-ip-header=X-Real-IP")) {
                Contexts.web()
                        .withConfiguration(Contexts.mvc())
                        .withPropertyValues(
                                hidden,
                                "limiter.http.a.path=/a",
                                "limiter.http.a.exempt-addresses=10.0.0.0/8",
                                "limiter.http.a.limits.one.rate=1")
                        .run(context -> assertThat(context.getStartupFailure())
                                .as(hidden)
                                .hasRootCauseInstanceOf(InvalidSettingException.class)
                                .rootCause()
                                .hasMessageContaining(
                                        "limiter.http.a.exempt-addresses cannot go by the addresses of callers"));
            }
            Contexts.reactive()
                    .withBean("forwardedHeaderTransformer", ForwardedHeaderTransformer.class)
                    .withPropertyValues(
                            "limiter.http.a.path=/a",
                            "limiter.http.a.exempt-addresses=10.0.0.0/8",
                            "limiter.http.a.limits.one.rate=1")
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasRootCauseInstanceOf(InvalidSettingException.class)
                            .rootCause()
                            .hasMessageContaining(
                                    "limiter.http.a.exempt-addresses cannot go by the addresses of callers"));
        }
    }

    private static MockHttpServletRequest forwarded(String address) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
        request.addHeader("X-Forwarded-For", address);
        return request;
    }

    /** As Spring's filter does, for any caller. */
    private static HttpServletRequest replaced(String address) throws Exception {
        MockFilterChain chain = new MockFilterChain();
        new ForwardedHeaderFilter().doFilter(forwarded(address), new MockHttpServletResponse(), chain);
        HttpServletRequest replaced = (HttpServletRequest) chain.getRequest();
        assertThat(replaced.getRemoteAddr()).isEqualTo(address);
        assertThat(replaced.getHeader("X-Forwarded-For")).isNull();
        return replaced;
    }

    @Test
    void a_plan_of_one_limit_of_a_rule_is_not_unknown_to_another() {
        try (LogLines log = new LogLines("io.limiter.spring.internal.check.PlanFinder")) {
            Contexts.web()
                    .withConfiguration(Contexts.mvc())
                    .withPropertyValues(
                            "limiter.http.a.path=/a",
                            "limiter.http.a.plan=header:X-Tenant",
                            "limiter.http.a.limits.one.rate=50",
                            "limiter.http.a.limits.one.plans.acme.rate=60",
                            "limiter.http.a.limits.two.limit=1",
                            "limiter.http.a.limits.two.per=1d",
                            "limiter.http.a.limits.two.plans.big.limit=2")
                    .run(context -> {
                        Filter filter = context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                                .getFilter();
                        assertThat(status(filter, "acme")).isEqualTo(200);
                        assertThat(status(filter, "acme")).isEqualTo(429);
                        assertThat(status(filter, "big")).isEqualTo(200);
                        assertThat(log.all()).isEmpty();
                        assertThat(status(filter, "none")).isEqualTo(429);
                        assertThat(log.all()).hasSize(2);
                    });
        }
    }

    @Test
    void a_profile_changes_one_number_of_one_rule() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Map<String, Object> base = Map.of(
                "limiter.http.api.path", "/api/**",
                "limiter.http.api.limits.second.rate", "10",
                "limiter.http.api.limits.second.capacity", "50",
                "limiter.http.api.limits.day.limit", "1000",
                "limiter.http.api.limits.day.per", "1d");
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(LimiterFactory.class, () -> factory)
                .withInitializer(context ->
                        context.getEnvironment().getPropertySources().addLast(new MapPropertySource("base", base)))
                .withPropertyValues("limiter.http.api.limits.second.rate=20")
                .run(context -> {
                    assertThat(factory.names()).containsExactly("api/day", "api/second");
                    TokenBucket bucket = (TokenBucket) factory.built().get(1).limit();
                    assertThat(bucket.permitsPerSecond()).isEqualTo(20);
                    assertThat(bucket.capacity()).isEqualTo(50);
                });
    }

    @Test
    void requests_have_a_condition_a_cost_and_a_message() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.a.path=/a",
                        "limiter.http.a.condition=#{header('X-Tenant') != 'internal'}",
                        "limiter.http.a.cost=#{param('items') ?: 1}",
                        "limiter.http.a.message=Slower please, in {0} s",
                        "limiter.http.a.limits.one.limit=10",
                        "limiter.http.a.limits.one.per=1h")
                .run(context -> {
                    Filter filter = context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                            .getFilter();
                    assertThat(respond(filter, "acme", "7").getStatus()).isEqualTo(200);
                    MockHttpServletResponse rejected = respond(filter, "acme", "4");
                    assertThat(rejected.getStatus()).isEqualTo(429);
                    assertThat(rejected.getContentAsString()).contains("Slower please, in ");
                    assertThat(respond(filter, "internal", "4").getStatus()).isEqualTo(200);
                    assertThat(respond(filter, "acme", "0").getStatus()).isEqualTo(200);
                    for (String bad : new String[] {"-1", "many", "9999999999999999"}) {
                        MockHttpServletResponse invalid = respond(filter, "acme", bad);
                        assertThat(invalid.getStatus()).isEqualTo(400);
                        assertThat(invalid.getContentAsString()).contains("no valid parameter items");
                    }
                    assertThat(respond(filter, "acme", "3").getStatus()).isEqualTo(200);
                    assertThat(status(filter, "acme")).isEqualTo(429);
                });
    }

    @Test
    void a_cost_that_is_not_charged_comes_back() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.a.path=/a",
                        "limiter.http.a.cost=#{5}",
                        "limiter.http.a.charge-on=failure",
                        "limiter.http.a.limits.one.limit=10",
                        "limiter.http.a.limits.one.per=1h")
                .run(context -> {
                    FilterRegistrationBean<?> answers =
                            context.getBean("limiterAnswerFilter", FilterRegistrationBean.class);
                    Filter filter = context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                            .getFilter();
                    for (int i = 0; i < 5; i++) {
                        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
                        MockHttpServletResponse response = new MockHttpServletResponse();
                        answers.getFilter()
                                .doFilter(
                                        request,
                                        response,
                                        (first, second) -> filter.doFilter(first, second, new MockFilterChain()));
                        assertThat(response.getStatus()).isEqualTo(200);
                    }
                });
    }

    private static MockHttpServletResponse respond(Filter filter, String tenant, String items) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
        request.addHeader("X-Tenant", tenant);
        request.setQueryString("items=" + items);
        request.addParameter("items", items);
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, new MockFilterChain());
        return response;
    }

    @Test
    void rules_without_a_web_application_are_logged() {
        String[] rule = {"limiter.http.a.path=/x", "limiter.http.a.limits.one.rate=1"};
        try (LogLines log = new LogLines(LimiterAutoConfiguration.class)) {
            Contexts.local()
                    .withPropertyValues(rule)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all()).singleElement().asString().startsWith("WARN limiter.http has rules");
        }
        try (LogLines log = new LogLines(LimiterAutoConfiguration.class)) {
            Contexts.local().run(context -> assertThat(context).hasNotFailed());
            Contexts.web()
                    .withPropertyValues(rule)
                    .run(context -> assertThat(context).hasNotFailed());
            Contexts.web()
                    .withClassLoader(new FilteredClassLoader("org.springframework.web.servlet"))
                    .withPropertyValues(rule)
                    .run(context -> assertThat(context).hasSingleBean(ConfiguredRules.class));
            assertThat(log.all()).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Route {

        /** Starts a context below that of the application first, as a Feign client has one. */
        @Bean
        SmartInitializingSingleton route(RouteRules rules, ApplicationContext application) {
            return () -> {
                try (GenericApplicationContext below = new GenericApplicationContext(application)) {
                    below.refresh();
                }
                rules.named("named");
            };
        }
    }

    @Test
    void a_rule_without_a_path_is_logged_until_a_route_names_it() {
        try (LogLines log = new LogLines(ConfiguredRules.class)) {
            Contexts.web()
                    .withBean(RouteRules.Filter.class, () -> new RouteRules.Filter() {})
                    .withUserConfiguration(Route.class)
                    .withPropertyValues(
                            "limiter.http.named.limits.one.rate=1",
                            "limiter.http.other.path=",
                            "limiter.http.other.limits.one.rate=1")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .isEqualTo(
                            "WARN limiter.http.other has no path, and no route has named it: until one does, it limits"
                                    + " nothing");
        }
    }

    @Test
    void every_setting_is_on_the_page() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "rules.md"));
        String table = page.substring(page.indexOf("| setting |"));
        List<String> settings = table.lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("`")[1].replace(".<limit>.*", ""))
                .toList();
        assertThat(settings)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(HttpRuleSettings.class.getRecordComponents())
                        .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                        .toList());
    }
}
