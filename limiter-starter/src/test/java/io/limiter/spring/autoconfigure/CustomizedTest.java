package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimitExceededEvent;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.testing.Eventually;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Applications that replace or change a part keep the others. */
class CustomizedTest {

    private static final FixedWindow ONE = FixedWindow.of(1, Duration.ofHours(1));

    private final List<String> rejected = new CopyOnWriteArrayList<>();
    private final LimiterListener listener = new LimiterListener() {
        @Override
        public boolean listensToRejections() {
            return true;
        }

        @Override
        public void onLimitExceeded(LimitExceededEvent event) {
            rejected.add(event.limiter());
        }
    };

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {

        @Bean
        RedisRateLimiterFactory own(RedisRateLimiterFactory.Builder builder) {
            return builder.build();
        }
    }

    @Test
    void a_factory_of_the_application_has_live_limits_a_life_cycle_and_listeners() {
        redis().withUserConfiguration(OwnFactory.class)
                .withBean(LimiterListener.class, () -> listener)
                .run(context -> {
                    assertThat(context).hasSingleBean(LiveLimits.class).hasSingleBean(LimiterLifecycle.class);
                    LimiterFactory own = context.getBean(LimiterFactory.class);
                    assertThat(own).isSameAs(context.getBean("own"));
                    rejects(own);
                });
    }

    @Test
    void a_factory_behind_another_one_has_live_limits_and_a_life_cycle() {
        redis().withUserConfiguration(OwnFactory.class)
                .withBean(
                        "outer",
                        LimiterFactory.class,
                        LocalLimiterFactory::unlimited,
                        definition -> definition.setPrimary(true))
                .run(context -> {
                    assertThat(context.getBean(LimiterLifecycle.class).isRunning())
                            .isTrue();
                    assertThat(context).hasSingleBean(LiveLimits.class);
                });
    }

    @Test
    void two_factories_over_redis_are_the_applications_own_matter() {
        redis().withUserConfiguration(OwnFactory.class)
                .withBean(
                        "second",
                        RedisRateLimiterFactory.class,
                        () -> RedisRateLimiterFactory.builder(new LettuceConnectionFactory())
                                .build())
                .withBean(
                        "outer",
                        LimiterFactory.class,
                        LocalLimiterFactory::unlimited,
                        definition -> definition.setPrimary(true))
                .run(context -> assertThat(context).getBean(LiveLimits.class).isSameAs(LiveLimits.NONE));
    }

    @Test
    void a_factory_of_the_application_needs_no_lock() {
        Contexts.plain()
                .withPropertyValues("limiter.engine=lock")
                .withBean(LimiterFactory.class, LocalLimiterFactory::unlimited)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_customizer_changes_the_builder_after_the_settings() {
        redis().withBean(RedisRateLimiterFactoryCustomizer.class, () -> builder -> builder.listener(listener))
                .run(context -> rejects(context.getBean(LimiterFactory.class)));
    }

    static Stream<Class<?>> autoConfigurations() {
        return Stream.of(
                LimiterAutoConfiguration.class,
                LimiterWebAutoConfiguration.class,
                LimiterMetricsAutoConfiguration.class,
                LimiterOffAutoConfiguration.class,
                LimiterUnusedRedisAutoConfiguration.class,
                LimiterEndpointAutoConfiguration.class,
                LimiterHealthAutoConfiguration.class,
                LimiterLiveAutoConfiguration.class);
    }

    @ParameterizedTest
    @MethodSource("autoConfigurations")
    void an_application_that_excludes_one_auto_configuration_starts(Class<?> excluded) {
        Class<?>[] others =
                autoConfigurations().filter(each -> each != excluded).toArray(Class<?>[]::new);
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(others))
                .withPropertyValues("limiter.type=local", "management.endpoints.web.exposure.include=*")
                .run(context -> assertThat(context).hasNotFailed());
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(others))
                .withBean("own", LimiterFactory.class, LocalLimiterFactory::unlimited)
                .run(context -> assertThat(context).hasNotFailed());
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(others))
                .withBean("own", LimiterFactory.class, LocalLimiterFactory::unlimited)
                .run(context -> assertThat(context).hasNotFailed());
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(others))
                .withBean("own", LimiterFactory.class, LocalLimiterFactory::unlimited)
                .withBean(ClientAddress.class, () -> () -> "10.0.0.1")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void an_application_without_limits_can_inject_its_callers() {
        Contexts.web()
                .withPropertyValues("limiter.enabled=false")
                .run(context ->
                        assertThat(context).hasSingleBean(ClientAddress.class).hasSingleBean(CurrentUser.class));
        Contexts.plain()
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context).hasSingleBean(CurrentUser.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter.enabled=false", "limiter.type=local", "limiter.live.enabled=false"})
    void an_application_without_live_limits_can_inject_them_and_a_change_says_so(String without) {
        redis().withPropertyValues(without).run(context -> {
            LiveLimits live = context.getBean(LiveLimits.class);
            assertThat(live.list()).isEmpty();
            assertThat(live.get("search")).isEmpty();
            assertThatThrownBy(() -> live.put("search", LiveSettings.NONE.withLimit(7), ChangeNote.of("ann", ""), 0))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(without.substring(0, without.indexOf('=')));
        });
    }

    private void rejects(LimiterFactory factory) {
        var limiter = factory.build("customized-" + UUID.randomUUID(), ONE);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        Eventually.that(() -> assertThat(rejected).containsExactly(limiter.name()));
    }

    private static ApplicationContextRunner redis() {
        return Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri());
    }
}
