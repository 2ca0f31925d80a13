package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.internal.web.RouteRules;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The application fails to start if there is a mistake under {@code limiter.http}, and the message names the setting. */
class InvalidHttpRulesTest {

    private static final String[] GOOD = {"path=/api/**", "limits.one.rate=10"};

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    path=                          | limiter.http.api.path must be set
                    path=api/**                    | limiter.http.api.path must start with /, such as /api/**, was 'api/**'
                    path=/a/**/{b                  | limiter.http.api.path '/a/**/{b' cannot be parsed
                    exclude=health                 | limiter.http.api.exclude must start with /
                    methods=GTE                    | limiter.http.api.methods must be HTTP methods such as GET, was 'GTE'
                    key=phone                      | limiter.http.api.key must be ip, user, all, header:<name>
                    key=#{phone}                   | limiter.http.api.key #{phone} uses 'phone', and a rule has no arguments
                    key=#{T(System).exit(1)}       | limiter.http.api.key
                    limits.one.rate=0               | limiter.http.api.limits.one.rate must be between
                    limits.one.limit=5              | limiter.http.api.limits.one
                    limits.one.kind=bucket          | limiter.http.api.limits.one.kind
                    limits.one.per=0s            | limiter.http.api.limits.one.per
                    limits.one.enforce=false        | limiter.http.api.limits.one.enforce has no effect
                    limits.two.rate=                | limiter.http.api.limits.two: per must be set
                    limits.one.rat=5                | limiter.http.api.limits.one.rat
                    cost=five                      | limiter.http.api.cost 'five' must be one expression over the request, such as #{method() == 'POST' ? 5 : 1}
                    cost=#{ip().trim().bytes}      | limiter.http.api.cost #{ip().trim().bytes}: a byte[] has no toString() of its own
                    key=#{ip}                      | limiter.http.api.key #{ip} uses 'ip', and a rule has no arguments: write ip()
                    key=user,all                   | limiter.http.api.key must not have all and other keys, was 'user,all'
                    key=claim:org,phone            | limiter.http.api.key must be ip, user, all, header:<name>
                    key=                           | limiter.http.api.key must be ip, user, all, header:<name>
                    settle=usage                   | limiter.http.api.settle must be response-header:<name>, such as response-header:X-Usage-Tokens, or response-json:<pointer>
                    settle=response-json:usage     | limiter.http.api.settle 'usage' must be a JSON pointer such as /usage/total_tokens
                    condition=#{user() != null} and | limiter.http.api.condition '#{user() != null} and' must be one expression over the request
                    cost=0                         | limiter.http.api.cost '0' must be between 1 and 9007199254740991, or an expression
                    cost=999                       | would never be granted
                    message={no.such.code}         | limiter.http.api.message must be a message, or the code of one in braces, and the MessageSource of the application has none of this code in any language, was '{no.such.code}': add no.such.code to messages.properties
                    key=#{1}                       | limiter.http.api.key '#{1}' is the same for all calls, because it reads nothing of the request: use all
                    patth=/x                       | limiter.http.api.patth
                    order=first                    | limiter.http.api.order
                    """)
    void an_invalid_setting_of_a_rule_fails_at_startup_and_is_named(String bad, String message) {
        String[] settings = Stream.concat(Arrays.stream(GOOD), Stream.of(bad))
                .map(setting -> "limiter.http.api." + setting)
                .toArray(String[]::new);
        if (bad.startsWith("limits.two")) {
            settings[2] = "limiter.http.api.limits.two.limit=5";
        }
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(settings)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"failure", "4xx", "401,503"})
    void a_rule_that_settles_must_charge_successes(String chargeOn) {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.limits.one.rate=10",
                        "limiter.http.api.settle=response-header:X-Usage-Tokens",
                        "limiter.http.api.charge-on=" + chargeOn)
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http.api.charge-on must charge successful responses if there is a settle")
                        .contains("was '" + chargeOn + "'"));
    }

    @Test
    void the_order_of_a_rule_of_routes_fails_at_startup() {
        Contexts.web()
                .withBean(RouteRules.Filter.class, () -> new RouteRules.Filter() {})
                .withPropertyValues("limiter.http.api.limits.one.rate=10", "limiter.http.api.order=1")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http.api.order has no effect on a rule without a path"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    plan=header:X-Plan             | limiter.http.api.plan has no effect, because no limit of the rule has plans
                    limits.one.plans.pro.rate=50    | limiter.http.api.limits.*.plans would have no effect: set limiter.http.api.plan
                    limits.one.plans.pro.rate=0     | limiter.http.api.limits.one.plans.pro.rate must be between
                    limits.one.plans.pro.limit=5    | with limiter.http.api.limits.one.plans.pro.*: limit has no effect on kind token-bucket
                    limits.one.plans.pro.zone=UTC   | limiter.http.api.limits.one.plans.pro.zone
                    limits.one.unlimited=true       | limiter.http.api.limits.one.unlimited has no effect outside a plan
                    limits.one.plans.pro.unlimited=true | limiter.http.api.limits.*.plans would have no effect: set limiter.http.api.plan
                    plan=header:X-Plan,limits.one.plans.pro.unlimited=true | limiter.http.api.limits.one.plans.pro.unlimited=true would leave the limit out for any caller, because the plan of a call is read from header(...), which callers choose: find the plan with claim('...'), user(), an argument or a bean of type io.limiter.spring.key.PlanResolver, or give it a limit
                    plan=cookie:plan,limits.one.plans.pro.unlimited=true | is read from cookie(...), which callers choose
                    plan=param:plan,limits.one.plans.pro.unlimited=true | is read from param(...), which callers choose
                    plan=#{ip()},limits.one.plans.pro.unlimited=true | is read from ip(), which callers choose
                    plan=#{user() ?: header('X-Plan')},limits.one.plans.pro.unlimited=true | is read from header(...), which callers choose
                    key=all,plan=header:X,limits.one.plans.pro.unlimited=true | is read from header(...), which callers choose
                    plan=pro,limits.one.plans.pro.rate=9 | limiter.http.api.plan must be header:<name>, cookie:<name>, param:<name>, claim:<name>
                    plan=#{plan},limits.one.plans.pro.rate=9 | limiter.http.api.plan #{plan} uses 'plan
                    key=all,plan=header:X,limits.one.plans.pro.rate=9 | with limiter.http.api.key=all they share the permits
                    """)
    void an_invalid_plan_of_a_rule_fails_at_startup_and_is_named(String bad, String message) {
        String[] settings = Stream.concat(Arrays.stream(GOOD), Arrays.stream(bad.split(",")))
                .map(setting -> "limiter.http.api." + setting)
                .toArray(String[]::new);
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(settings)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
    }

    @Test
    void a_rule_without_limits_and_two_of_one_name_fail_at_startup() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues("limiter.http.a.path=/x")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http.a.limits must have at least one limit"));
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.a.path=/x",
                        "limiter.http.a.limits.one.rate=1",
                        "limiter.http.b.name=a",
                        "limiter.http.b.path=/x",
                        "limiter.http.b.limits.one.rate=2")
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains("limiter.http.b.name must differ"));
    }

    @Test
    void no_limit_of_a_rule_has_the_name_of_another_rule() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/x",
                        "limiter.http.api.limits.one.rate=1",
                        "limiter.http.api.limits.two.rate=5",
                        "limiter.http.other.name=api/two",
                        "limiter.http.other.path=/y",
                        "limiter.http.other.limits.one.rate=2")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.http.other.name must differ")
                        .contains("a limit is 'api/two' already"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    limiter.http[0].path=/x               | limiter.http[0] is written as an entry of a list, but limiter.http has names
                    limiter.http.api.limits[1].rate=1     | limiter.http.api.limits[1] is written as an entry of a list
                    """)
    void a_rule_or_a_limit_of_a_list_fails_at_startup_with_the_remedy(String listed, String problem) {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues("limiter.http.api.path=/api/**", "limiter.http.api.limits.one.rate=1", listed)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(problem));
    }

    private static String messages(Throwable failure) {
        assertThat(failure).isNotNull();
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        return messages.toString();
    }
}
