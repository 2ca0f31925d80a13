package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class HttpRulesTest {

    private static final String[] GOOD = {"path=/api/**", "limits[0].rate=10"};

    @Test
    void rules_have_an_order_and_rules_by_user_come_later() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(LimiterFactory.class, () -> factory)
                .withPropertyValues(
                        "limiter.http[0].path=/b",
                        "limiter.http[0].order=2",
                        "limiter.http[0].limits[0].limit=1",
                        "limiter.http[0].limits[0].period=60",
                        "limiter.http[1].path=/a,/c",
                        "limiter.http[1].limits[0].rate=5",
                        "limiter.http[2].path=/u",
                        "limiter.http[2].key=user",
                        "limiter.http[2].limits[0].kind=sliding-log",
                        "limiter.http[2].limits[0].limit=3",
                        "limiter.http[2].limits[0].period=1m")
                .run(context -> {
                    HttpRules rules = context.getBean(HttpRules.class);
                    assertThat(rules.first().limits()).hasSize(2);
                    assertThat(rules.byUser().limits()).hasSize(1);
                    assertThat(factory.names()).containsExactly("/b", "/a,/c", "/u");
                    assertThat(factory.built().get(2).prefix()).isEqualTo("httpLimit:SlidingLog:");
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    path=                          | limiter.http[0].path must be set
                    path=api/**                    | limiter.http[0].path must start with /, such as /api/**, was 'api/**'
                    path=/a/**/{b                  | limiter.http[0].path '/a/**/{b' cannot be parsed
                    exclude=health                 | limiter.http[0].exclude must start with /
                    methods=GTE                    | limiter.http[0].methods must be HTTP methods such as GET, was 'GTE'
                    key=phone                      | limiter.http[0].key must be ip, user, all, header:<name>
                    key=#{phone}                   | limiter.http[0].key #{phone} must not use phone
                    key=#{T(System).exit(1)}       | limiter.http[0].key
                    limits[0].rate=0               | limiter.http[0].limits[0].rate must be between
                    limits[0].rate=0.1             | limiter.http[0].limits[0]: capacity must be at least 1 permit (at 0.1/s a burst of 10.0 s), was 0.1
                    limits[0].limit=5              | limiter.http[0].limits[0]
                    limits[0].kind=bucket          | limiter.http[0].limits[0].kind must be one of
                    limits[0].period=0s            | limiter.http[0].limits[0].period must be between
                    limits[0].enforce=false        | limiter.http[0].limits[0].enforce has no effect
                    limits[1].rate=                | limiter.http[0].limits[1]: period must be set
                    limits[0].rat=5                | limiter.http[0].limits[0].rat
                    patth=/x                       | limiter.http[0].patth
                    order=first                    | limiter.http[0].order
                    """)
    void an_invalid_setting_of_a_rule_prevents_startup_and_is_named(String bad, String message) {
        String[] settings = Stream.concat(Arrays.stream(GOOD), Stream.of(bad))
                .map(setting -> "limiter.http[0]." + setting)
                .toArray(String[]::new);
        if (bad.startsWith("limits[1]")) {
            settings[2] = "limiter.http[0].limits[1].limit=5";
        }
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(settings)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    plan=header:X-Plan             | limiter.http[0].plan has no effect, because no limit of the rule has plans
                    limits[0].plans.pro.rate=50    | limiter.http[0].limits[].plans would have no effect: set limiter.http[0].plan
                    limits[0].plans.pro.rate=0     | limiter.http[0].limits[0].plans.pro.rate must be between
                    limits[0].plans.pro.limit=5    | with limiter.http[0].limits[0].plans.pro.*: limit has no effect on kind token-bucket
                    limits[0].plans.pro.zone=UTC   | limiter.http[0].limits[0].plans.pro.zone
                    plan=pro,limits[0].plans.pro.rate=9 | limiter.http[0].plan must be header:<name>, cookie:<name>, claim:<name>
                    plan=#{plan},limits[0].plans.pro.rate=9 | limiter.http[0].plan #{plan} must not use plan
                    key=all,plan=header:X,limits[0].plans.pro.rate=9 | with limiter.http[0].key=all they share the permits
                    """)
    void an_invalid_plan_of_a_rule_prevents_startup_and_is_named(String bad, String message) {
        String[] settings = Stream.concat(Arrays.stream(GOOD), Arrays.stream(bad.split(",")))
                .map(setting -> "limiter.http[0]." + setting)
                .toArray(String[]::new);
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(settings)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
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
                        "limiter.http[0].path=/a",
                        "limiter.http[0].limits[0].limit=1",
                        "limiter.http[0].limits[0].period=60",
                        "limiter.http[0].limits[0].plans.acme.limit=2",
                        "limiter.http[0].limits[1].limit=9",
                        "limiter.http[0].limits[1].period=1d",
                        "limiter.http[1].path=/b",
                        "limiter.http[1].limits[0].rate=5")
                .run(context -> {
                    HttpRules rules = context.getBean(HttpRules.class);
                    assertThat(rules.first().limits()).hasSize(1);
                    assertThat(rules.byUser().limits()).hasSize(1);
                    Filter filter = context.getBean("limiterHttpUserFilter", FilterRegistrationBean.class)
                            .getFilter();
                    assertThat(status(filter, "other")).isEqualTo(200);
                    assertThat(status(filter, "other")).isEqualTo(429);
                    assertThat(status(filter, "acme")).isEqualTo(200);
                    assertThat(status(filter, "acme")).isEqualTo(429);
                    assertThat(requests).hasSize(4).allSatisfy(request -> {
                        assertThat(request.limit())
                                .as("the limit that has plans")
                                .isEqualTo("/a");
                        assertThat(request.key()).isEqualTo("127.0.0.1");
                        assertThat(request.method()).isNull();
                        assertThat(request.arguments()).isEmpty();
                    });
                });
    }

    private static int status(Filter filter, String tenant) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
        request.addHeader("X-Tenant", tenant);
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, new MockFilterChain());
        return response.getStatus();
    }

    @Test
    void a_plan_of_one_limit_of_a_rule_is_not_unknown_to_another() {
        try (LogLines log = new LogLines("io.limiter.spring.check.PlanFinder")) {
            Contexts.web()
                    .withConfiguration(Contexts.mvc())
                    .withPropertyValues(
                            "limiter.http[0].path=/a",
                            "limiter.http[0].plan=header:X-Tenant",
                            "limiter.http[0].limits[0].rate=50",
                            "limiter.http[0].limits[0].plans.acme.rate=60",
                            "limiter.http[0].limits[1].limit=1",
                            "limiter.http[0].limits[1].period=1d",
                            "limiter.http[0].limits[1].plans.big.limit=2")
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
    void a_rule_without_limits_and_two_of_one_name_prevent_startup() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues("limiter.http[0].path=/x")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http[0].limits must have at least one limit"));
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http[0].path=/x",
                        "limiter.http[0].limits[0].rate=1",
                        "limiter.http[1].path=/x",
                        "limiter.http[1].limits[0].rate=2")
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains("limiter.http[1].name must differ"));
    }

    @ParameterizedTest
    @CsvSource({"api, api/2", "api/2, api"})
    void no_limit_of_a_rule_has_the_name_of_another_rule(String first, String second) {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http[0].name=" + first,
                        "limiter.http[0].path=/x",
                        "limiter.http[0].limits[0].rate=1",
                        "limiter.http[0].limits[1].rate=5",
                        "limiter.http[1].name=" + second,
                        "limiter.http[1].path=/y",
                        "limiter.http[1].limits[0].rate=2",
                        "limiter.http[1].limits[1].rate=3")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http[1].name must differ")
                        .contains("api/2"));
    }

    @Test
    void rules_without_a_web_application_are_logged() {
        String[] rule = {"limiter.http[0].path=/x", "limiter.http[0].limits[0].rate=1"};
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
                    .run(context -> assertThat(context).hasSingleBean(HttpRules.class));
            assertThat(log.all()).isEmpty();
        }
    }

    private static String messages(Throwable failure) {
        assertThat(failure).isNotNull();
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        return messages.toString();
    }

    @Test
    void every_setting_is_on_the_page() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "http.md"));
        String table = page.substring(page.indexOf("| setting |"));
        List<String> settings = table.lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("`")[1].replace("[n]", ""))
                .toList();
        assertThat(settings)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(HttpRule.class.getRecordComponents())
                        .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                        .toList());
    }
}
