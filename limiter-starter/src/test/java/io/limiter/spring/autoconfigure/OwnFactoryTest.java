package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ForwardingLimiterFactory;
import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.internal.actuate.BackendHealth;
import io.limiter.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A limiter factory of the application starts in every mode, and limits in none that is disabled. */
class OwnFactoryTest {

    /** As the page on settings shows it. */
    @Configuration(proxyBeanMethods = false)
    static class OfInjectedBuilder {

        @Bean
        RedisRateLimiterFactory own(RedisRateLimiterFactory.Builder builder) {
            return builder.rejectionCacheSize(10).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfOwnBuilder {

        @Bean
        RedisRateLimiterFactory own(RedisConnectionFactory connections) {
            return RedisRateLimiterFactory.builder(connections).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Local {

        @Bean
        LocalLimiterFactory own() {
            return new LocalLimiterFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnyFactory {

        @Bean
        LimiterFactory own() {
            return new OfItsOwnType();
        }
    }

    static class OfItsOwnType extends ForwardingLimiterFactory {

        OfItsOwnType() {
            super(new LocalLimiterFactory());
        }
    }

    private final ApplicationContextRunner redis = Contexts.plain()
            .withConfiguration(Contexts.redis())
            .withPropertyValues(
                    "spring.data.redis.url=" + TestRedis.shared().uri(),
                    "spring.application.name=own",
                    "limiter.on-failure=throw",
                    "limiter.failure.decision-timeout=2m");

    private static void limits(LimiterFactory factory, boolean expected) {
        var limiter = factory.build("own-" + UUID.randomUUID(), 1.0 / 60, 60, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isNotEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"limiter.type=redis, true", "limiter.type=local, true", "limiter.enabled=false, false"})
    void it_is_built_from_the_injected_builder_in_every_mode(String mode, boolean limits) {
        redis.withUserConfiguration(OfInjectedBuilder.class)
                .withPropertyValues(mode)
                .run(context -> {
                    RedisRateLimiterFactory own = context.getBean(RedisRateLimiterFactory.class);
                    assertThat(context.getBean(LimiterFactory.class)).isSameAs(own);
                    assertThat(own.isLocal()).isNotEqualTo(mode.equals("limiter.type=redis"));
                    limits(own, limits);
                    assertThat(own.warmUp().join()).isTrue();
                    assertThat(own.backendState().up()).isTrue();
                    assertThat(own.instances()).isOne();
                    assertThat(BackendHealth.of(own).status()).isEqualTo("UP");
                    RedisRateLimiter limiter = own.build("named", 1, 1, 60);
                    assertThat(limiter.on("ann").redisKey()).contains("rateLimit:{", "{ann}{named}");
                    assertThat(context.getBean(LiveLimits.class) == LiveLimits.NONE)
                            .isEqualTo(own.isLocal());
                    assertThat(RedisLiveLimits.of(own).isEmpty()).isEqualTo(own.isLocal());
                });
    }

    /** Also without a connection factory. */
    @ParameterizedTest
    @ValueSource(strings = {"limiter.type=local", "limiter.enabled=false"})
    void it_needs_no_redis_then(String mode) {
        Contexts.plain()
                .withUserConfiguration(OfInjectedBuilder.class)
                .withPropertyValues(mode)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisRateLimiterFactory.class));
    }

    @ParameterizedTest
    @ValueSource(classes = {OfOwnBuilder.class, Local.class, AnyFactory.class})
    void it_limits_nothing_if_limits_are_disabled(Class<?> application) {
        redis.withUserConfiguration(application).run(context -> limits(context.getBean(LimiterFactory.class), true));
        redis.withUserConfiguration(application)
                .withPropertyValues("limiter.enabled=false")
                .run(context -> limits(context.getBean(LimiterFactory.class), false));
    }

    @Test
    void a_type_that_cannot_be_replaced_is_logged() {
        try (LogLines log = new LogLines(DisabledFactories.class)) {
            redis.withBean("own", OfItsOwnType.class)
                    .withPropertyValues("limiter.enabled=false")
                    .run(context -> limits(context.getBean(LimiterFactory.class), true));
            assertThat(log.all())
                    .containsExactly(
                            "WARN limiter.enabled=false does not disable the limits of the bean 'own', because it is"
                                    + " declared as " + OfItsOwnType.class.getName()
                                    + ": declare it as LimiterFactory");
        }
    }

    @Test
    void two_local_ones_of_one_factory_share_permits_and_names_stay_apart() {
        LocalLimiterFactory local = new LocalLimiterFactory();
        RedisRateLimiterFactory one =
                RedisRateLimiterFactory.localBuilder(local).build();
        RedisRateLimiterFactory other =
                RedisRateLimiterFactory.localBuilder(local).namespace("other").build();
        assertThat(local.build("k", 1.0 / 60, 60, 60).tryAcquire()).isTrue();
        assertThat(other.build("k", 1.0 / 60, 60, 60).tryAcquire()).isTrue();
        assertThat(one.build("k", 1.0 / 60, 60, 60).tryAcquire()).isFalse();
        assertThat(other.build("k", 1.0 / 60, 60, 60).tryAcquire()).isFalse();
        local.close();
    }
}
