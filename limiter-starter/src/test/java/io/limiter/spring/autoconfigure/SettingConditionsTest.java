package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.live.LiveLimits;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spi.DistributedLock;
import io.limiter.spring.Contexts;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Properties that decide which beans there are mean what Spring Boot's binder says, however they are written. */
class SettingConditionsTest {

    private final ApplicationContextRunner redis = Contexts.plain()
            .withConfiguration(Contexts.redis())
            .withPropertyValues("spring.data.redis.url=" + TestRedis.shared().uri());

    private static void limits(LimiterFactory factory, boolean expected) {
        RateLimiter limiter = factory.build("conditions-" + UUID.randomUUID(), 1.0 / 60, 60, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isNotEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "yes", "on", "1", "true "})
    void limits_are_enforced_however_that_is_written(String value) {
        Contexts.local().withPropertyValues("limiter.enabled=" + value).run(context -> {
            assertThat(context).hasSingleBean(LimitAdvisor.class);
            limits(context.getBean(LimiterFactory.class), true);
        });
        Contexts.withVariables(Contexts.local(), "LIMITER_ENABLED=" + value)
                .run(context -> limits(context.getBean(LimiterFactory.class), true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "no", "OFF", "0", "false "})
    void limits_are_disabled_however_that_is_written(String value) {
        Contexts.local().withPropertyValues("limiter.enabled=" + value).run(context -> {
            assertThat(context).doesNotHaveBean(LimitAdvisor.class);
            limits(context.getBean(LimiterFactory.class), false);
        });
        Contexts.withVariables(Contexts.local(), "LIMITER_ENABLED=" + value)
                .run(context -> limits(context.getBean(LimiterFactory.class), false));
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.enabled, ture, true or false (on yes 1 and off no 0 are allowed too)",
        "limiter.enabled, disabled, true or false (on yes 1 and off no 0 are allowed too)",
        "limiter.enabled, '', true or false (on yes 1 and off no 0 are allowed too)",
        "limiter.type, '', redis or local",
        "limiter.live.enabled, never, true or false (on yes 1 and off no 0 are allowed too)",
        "limiter.type, memory, redis or local",
        "limiter.engine, lua, script or lock"
    })
    void a_value_of_another_type_fails_at_startup_with_the_values_that_are_allowed(
            String property, String value, String allowed) {
        redis.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("Property " + property + " with value '" + value + "'")
                        .satisfies(failure -> assertThat(failure.getMessage().replace(",", ""))
                                .contains("It must be " + allowed)));
    }

    /** Without the check such an application had no limits, and no failure. */
    @Test
    void an_unknown_type_fails_at_startup_even_with_a_factory_of_the_application() {
        Contexts.plain()
                .withBean("own", LimiterFactory.class, LocalLimiterFactory::new)
                .withPropertyValues("limiter.type=memory")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void types_and_engines_are_found_however_they_are_written() {
        redis.withPropertyValues("limiter.type=Local ")
                .run(context -> assertThat(
                                context.getBean(RedisRateLimiterFactory.class).isLocal())
                        .isTrue());
        redis.withPropertyValues("limiter.engine=LOCK ")
                .run(context -> assertThat(context)
                        .hasSingleBean(RedisRateLimiterFactory.class)
                        .hasSingleBean(DistributedLock.class));
    }

    @ParameterizedTest
    @CsvSource({"on, true", "off, false"})
    void live_limits_apply_however_that_is_written(String value, boolean live) {
        redis.withPropertyValues("limiter.live.enabled=" + value).run(context -> {
            assertThat(context.getBean(LiveLimits.class) != LiveLimits.NONE).isEqualTo(live);
            assertThat(RedisLiveLimits.of(context.getBean(RedisRateLimiterFactory.class)))
                    .matches(started -> started.isPresent() == live);
        });
    }
}
