package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.FailurePolicy;
import io.limiter.algorithm.LimitKind;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.local.LocalEngine;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.internal.key.address.ForwardedHeader;
import io.limiter.spring.internal.key.spel.ChargedStatuses;
import io.limiter.spring.internal.key.spel.KeyTemplate;
import io.limiter.spring.internal.key.spel.RuleKey;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.ClassUtils;

class LimiterPropertiesTest {

    @Test
    void without_properties_the_defaults_apply() {
        Contexts.plain().withPropertyValues("limiter.type=local").run(context -> {
            LimiterProperties properties = context.getBean(LimiterProperties.class);
            assertThat(properties.enabled()).isTrue();
            assertThat(properties.engine()).isEqualTo(LimiterProperties.Engine.SCRIPT);
            assertThat(properties.order()).isEqualTo(LimitAdvisor.DEFAULT_ORDER);
            assertThat(properties.rejectionCache().size()).isEqualTo(KnownRejections.DEFAULT_SIZE);
            assertThat(properties.local().maxKeys()).isEqualTo(LocalEngine.DEFAULT_MAX_KEYS);
            assertThat(properties.key().trustedProxies()).isEmpty();
            assertThat(properties.key().forwardedHeader()).isEqualTo(ForwardedHeader.ANY);
            assertThat(properties.key().ipv6PrefixLength()).isEqualTo(64);
            assertThat(properties.key().hashTags()).isEqualTo(RedisRateLimiterFactory.Builder.DEFAULT_HASH_TAGS);
            assertThat(context.getBean(LimitAdvisor.class).getOrder()).isEqualTo(LimitAdvisor.DEFAULT_ORDER);
        });
    }

    @Test
    void every_property_can_be_set() {
        Contexts.plain()
                .withPropertyValues(
                        "limiter.type=LOCAL",
                        "limiter.engine=lock",
                        "limiter.order=7",
                        "limiter.rejection-cache.size=0",
                        "limiter.local.max-keys=4",
                        "limiter.key.trusted-proxies=10.0.0.0/8, ::1",
                        "limiter.key.forwarded-header=x-forwarded-for",
                        "limiter.key.ipv6-prefix-length=56",
                        "limiter.key.hash-tags=12")
                .run(context -> {
                    LimiterProperties properties = context.getBean(LimiterProperties.class);
                    assertThat(properties.rejectionCache().size()).isZero();
                    assertThat(properties.local().maxKeys()).isEqualTo(4);
                    assertThat(properties.key().trustedProxies()).containsExactly("10.0.0.0/8", "::1");
                    assertThat(properties.key().forwardedHeader()).isEqualTo(ForwardedHeader.X_FORWARDED_FOR);
                    assertThat(properties.key().ipv6PrefixLength()).isEqualTo(56);
                    assertThat(properties.key().hashTags()).isEqualTo(12);
                    assertThat(context.getBean(LimitAdvisor.class).getOrder()).isEqualTo(7);
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limiter.type=elsewhere | limiter.type",
                "limiter.engine=magic | limiter.engine",
                "limiter.order=first | limiter.order",
                "limiter.rejection-cache.size=-1 | limiter.rejection-cache.size must be between 0 and 16777216, was -1",
                "limiter.local.max-keys=0 | limiter.local.max-keys must be between 1 and 2147483647, was 0",
                "limiter.key.ipv6-prefix-length=129 | ipv6-prefix-length must be between 1 and 128, was 129",
                "limiter.key.hash-tags=1025 | limiter.key.hash-tags must be between 0 and 1024, was 1025",
                "limiter.key.trusted-proxies=10.0.0.0/8,x | limiter.key.trusted-proxies: 'x' is no IP address",
                "limiter.on-failure=local(0) | limiter.on-failure must be local, owner, deny, allow or throw, or local with a share",
                "limiter.failure.expected-instances=0 | limiter.failure.expected-instances must be between 1 and",
                "limiter.failure.decision-timeout=0 | limiter.failure.decision-timeout must be between",
                "limiter.failure.first-decision-timeout=2h | limiter.failure.first-decision-timeout must be between",
                "limiter.on-failure=maybe | such as local(0.2), was 'maybe'",
                "limiter.live.poll-interval=99ms | limiter.live.poll-interval must be between PT0.1S and PT1H",
                "limiter.live.restore=perhaps | limiter.live.restore",
                "limiter.live.history=0 | limiter.live.history must be between 1 and 10000, was 0"
            })
    void an_invalid_value_fails_at_startup_and_is_named(String property, String problem) {
        Contexts.web().withPropertyValues(property).run(context -> {
            assertThat(context).hasFailed();
            StringBuilder messages = new StringBuilder();
            for (Throwable e = context.getStartupFailure(); e != null; e = e.getCause()) {
                messages.append(e.getMessage()).append('\n');
            }
            assertThat(messages.toString()).contains(problem);
        });
    }

    @Test
    void owners_of_keys_are_not_known_without_live_limits() {
        Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues("limiter.on-failure=owner", "limiter.live.enabled=false")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("limiter.on-failure owner needs live limits"));
    }

    @Test
    void the_expected_instances_are_those_of_an_instance_that_has_not_counted() {
        Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues(
                        "limiter.failure.expected-instances=4",
                        "limiter.live.enabled=false",
                        "limiter.failure.warm-up=false")
                .run(context -> assertThat(
                                context.getBean(RedisRateLimiterFactory.class).instances())
                        .isEqualTo(4));
    }

    @Test
    void every_property_is_described() throws Exception {
        Map<String, JsonNode> properties = new TreeMap<>();
        for (URL url : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            for (JsonNode property : new ObjectMapper().readTree(url).get("properties")) {
                String name = property.get("name").asText();
                if (name.startsWith("limiter.") && !name.matches("limiter\\.((console|gateway)\\..*|clients)")
                        || name.startsWith("management.health.limiter")
                        || name.matches("management\\.endpoint\\.(limiters|livelimits)\\.(access|show-keys|roles)")) {
                    properties.put(name, property);
                }
            }
        }
        assertThat(properties)
                .containsOnlyKeys(
                        "management.health.limiter.enabled",
                        "management.endpoint.limiters.access",
                        "management.endpoint.livelimits.access",
                        "management.endpoint.limiters.show-keys",
                        "management.endpoint.limiters.roles",
                        "limiter.enabled",
                        "limiter.namespace",
                        "limiter.type",
                        "limiter.engine",
                        "limiter.order",
                        "limiter.rejection-cache.size",
                        "limiter.on-failure",
                        "limiter.failure.expected-instances",
                        "limiter.failure.decision-timeout",
                        "limiter.failure.first-decision-timeout",
                        "limiter.failure.warm-up",
                        "limiter.local.max-keys",
                        "limiter.key.trusted-proxies",
                        "limiter.key.forwarded-header",
                        "limiter.key.ipv6-prefix-length",
                        "limiter.key.hash-tags",
                        "limiter.live.enabled",
                        "limiter.live.poll-interval",
                        "limiter.live.restore",
                        "limiter.live.history",
                        "limiter.live.show-keys",
                        "limiter.metrics.max-limits",
                        "limiter.web.status",
                        "limiter.web.headers",
                        "limiter.web.body",
                        "limiter.web.message",
                        "limiter.web.filter-order",
                        "limiter.web.user-filter-order",
                        "limiter.http",
                        "limiter.limits");
        properties.forEach((name, property) -> {
            assertThat(property.path("description").asText()).as(name).endsWith(".");
            // An empty list or map, another property or what is counted is no default that the metadata can say.
            assertThat(property.has("defaultValue"))
                    .as(name)
                    .isEqualTo(!name.endsWith("trusted-proxies")
                            && !name.equals("limiter.namespace")
                            && !name.equals("limiter.limits")
                            && !name.equals("management.endpoint.limiters.roles")
                            && !name.equals("limiter.http"));
        });
    }

    @Test
    void every_enum_and_map_has_hints_that_complete_it() throws Exception {
        Map<String, List<String>> hints = new TreeMap<>();
        List<JsonNode> properties = new ArrayList<>();
        for (URL url : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            JsonNode metadata = new ObjectMapper().readTree(url);
            metadata.path("hints").forEach(hint -> {
                if (!hint.get("name").asText().startsWith("limiter.")) {
                    return;
                }
                List<String> values = new ArrayList<>();
                hint.path("values").forEach(value -> {
                    assertThat(value.path("description").asText()).endsWith(".");
                    values.add(value.get("value").asText());
                });
                hints.put(hint.get("name").asText(), values);
            });
            metadata.get("properties").forEach(property -> {
                if (property.get("name").asText().startsWith("limiter.")) {
                    properties.add(property);
                }
            });
        }
        assertThat(properties).hasSizeGreaterThan(20);
        for (JsonNode property : properties) {
            String name = property.get("name").asText();
            String type = property.get("type").asText();
            if (type.startsWith("java.util.Map")) {
                assertThat(hints.get(name + ".keys")).as(name).isNotEmpty();
            } else if (ClassUtils.resolveClassName(type.replaceAll("<.*", ""), null)
                    .isEnum()) {
                assertThat(hints.get(name))
                        .as(name)
                        .containsExactlyInAnyOrderElementsOf(constants(ClassUtils.resolveClassName(type, null)));
            }
        }
        assertThat(hints.get("limiter.limits.*.kind"))
                .containsExactlyInAnyOrderElementsOf(constants(LimitKind.class))
                .containsAll(hints.get("limiter.http.*.limits.*.kind"));
        assertThat(hints.get("limiter.limits.*.on-failure"))
                .containsExactlyInAnyOrderElementsOf(constants(FailurePolicy.Action.class));
        assertThat(hints.get("limiter.http.*.key"))
                .allSatisfy(key -> assertThat(RuleKey.ofRule(List.of(key))).isNotNull());
        assertThat(hints.get("limiter.http.*.plan"))
                .allSatisfy(plan -> assertThat(KeyTemplate.planOfRule(plan)).isNotNull());
        assertThat(hints.get("limiter.http.*.charge-on"))
                .allSatisfy(statuses ->
                        assertThatCode(() -> ChargedStatuses.parse(statuses)).doesNotThrowAnyException());
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant ->
                        ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
    }
}
