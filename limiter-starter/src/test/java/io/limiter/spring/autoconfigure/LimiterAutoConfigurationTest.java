package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.limiter.ConcurrencyLimiter;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisLock;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.RedissonLock;
import io.limiter.spi.DistributedLock;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.servlet.RateLimitExceptionResolver;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** One case for each condition. */
class LimiterAutoConfigurationTest {

    private final ApplicationContextRunner redis = Contexts.plain()
            .withConfiguration(Contexts.redis())
            .withPropertyValues(
                    "spring.data.redis.url=" + TestRedis.shared().uri(),
                    "limiter.on-failure=throw",
                    "limiter.failure.decision-timeout=2m");

    @Test
    void redis_is_the_default() {
        redis.run(context -> {
            assertThat(context).hasSingleBean(RedisRateLimiterFactory.class).doesNotHaveBean(DistributedLock.class);
            assertThat(context).hasSingleBean(LimitAdvisor.class);
            decides(context.getBean(LimiterFactory.class));
        });
    }

    @Test
    void the_type_local_needs_no_redis() {
        Contexts.local().run(context -> {
            assertThat(context.getBean(RedisRateLimiterFactory.class).isLocal()).isTrue();
            decides(context.getBean(LimiterFactory.class));
        });
        redis.withPropertyValues("limiter.type=local")
                .run(context -> assertThat(
                                context.getBean(RedisRateLimiterFactory.class).isLocal())
                        .isTrue());
    }

    @Test
    void disabled_limits_leave_only_a_factory() {
        redis.withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LimiterFactory.class)
                        .doesNotHaveBean(LimitAdvisor.class)
                        .doesNotHaveBean(LimiterProperties.class));
        Contexts.web()
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitExceptionResolver.class));
    }

    /** So it needs no Redis, also with the type redis. */
    @Test
    void the_factory_of_disabled_limits_grants_everything() {
        Contexts.plain().withPropertyValues("limiter.enabled=false").run(context -> {
            LimiterFactory factory = context.getBean(LimiterFactory.class);
            RateLimiter rate = factory.build("rate", 1.0 / 60, 60, 60);
            Limiter count = factory.with(LimiterOptions.NONE.withPrefix("app:"))
                    .build("count", FixedWindow.of(1, Duration.ofHours(1)));
            ConcurrencyLimiter concurrent = factory.build("concurrent", ConcurrencyLimit.of(1));
            for (int i = 0; i < 3; i++) {
                assertThat(rate.on("ann").acquire(5)).isZero();
                rate.reserve(5).cancel();
                assertThat(count.tryAcquire(7)).isTrue();
                assertThat(count.on("ann").async().decide(1).join().isGranted()).isTrue();
                assertThat(LimitSet.of(rate, count.on("ann")).decide(1).isGranted())
                        .isTrue();
                assertThat(concurrent.tryAcquire()).isPresent();
            }
            assertThat(count.peek().remaining()).isEqualTo(1);
            count.refund(1);
            count.charge(9);
            count.reset();
            assertThat(count.peek().isGranted()).isTrue();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @LimiterRedisConnectionFactory
        RedisConnectionFactory limits() {
            return lettuce();
        }

        @Bean
        @Primary
        RedisConnectionFactory orders() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class First {

        @Bean
        @Primary
        RedisConnectionFactory limits() {
            return lettuce();
        }

        @Bean
        RedisConnectionFactory orders() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, script", "true, lock", "false, script", "false, lock"})
    void limiters_use_the_marked_connection_or_the_primary_one(boolean marked, String engine) {
        redis.withUserConfiguration(marked ? Marked.class : First.class)
                .withPropertyValues("limiter.engine=" + engine)
                .run(context -> decides(context.getBean(LimiterFactory.class)));
    }

    @Test
    void the_lock_engine_has_a_plain_lock_by_default() {
        redis.withPropertyValues("limiter.engine=lock").run(context -> {
            assertThat(context).hasSingleBean(RedisLock.class);
            decides(context.getBean(LimiterFactory.class));
        });
    }

    @Test
    void the_script_engine_needs_no_lock() {
        redis.withPropertyValues("limiter.engine=script")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(DistributedLock.class)
                        .hasSingleBean(RedisRateLimiterFactory.class));
    }

    @Test
    void the_lock_engine_uses_a_redisson_client_if_there_is_one() {
        redis.withPropertyValues("limiter.engine=lock")
                .withBean(RedissonClient.class, LimiterAutoConfigurationTest::redisson)
                .run(context -> {
                    assertThat(context).hasSingleBean(RedissonLock.class);
                    decides(context.getBean(LimiterFactory.class));
                });
    }

    @Test
    void every_bean_can_be_replaced() {
        LimiterFactory factory = new LocalLimiterFactory();
        Contexts.plain().withBean("own", LimiterFactory.class, () -> factory).run(context -> {
            // And so needs no Redis.
            assertThat(context).hasNotFailed().hasSingleBean(LimiterFactory.class);
            assertThat(context.getBean(LimiterFactory.class)).isSameAs(factory);
        });
        DistributedLock lock = (key, wait) -> () -> {};
        redis.withPropertyValues("limiter.engine=lock")
                .withBean("own", DistributedLock.class, () -> lock)
                .run(context -> {
                    assertThat(context.getBean(DistributedLock.class)).isSameAs(lock);
                    decides(context.getBean(LimiterFactory.class));
                });
        LimitAdvisor advisor = new OwnAdvisor();
        Contexts.local()
                .withBean("own", LimitAdvisor.class, () -> advisor)
                .run(context -> assertThat(context.getBean(LimitAdvisor.class)).isSameAs(advisor));
        Contexts.web()
                .withBean("address", ClientAddress.class, () -> () -> "1.2.3.4")
                .withBean("user", CurrentUser.class, () -> () -> "bob")
                .withBean("resolver", RateLimitExceptionResolver.class, LimiterAutoConfigurationTest::resolver)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ClientAddress.class)
                        .hasSingleBean(CurrentUser.class)
                        .doesNotHaveBean(PrincipalUser.class)
                        .hasSingleBean(RateLimitExceptionResolver.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "currentUser",
                "clientAddress",
                "limitAdvisor",
                "concurrentLimitAdvisor",
                "configuredLimits",
                "rateLimitExceptionResolver"
            })
    void no_bean_has_a_name_that_applications_use(String name) {
        Contexts.web()
                .withBean(name, Object.class, Object::new)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(CurrentUser.class)
                        .hasSingleBean(ClientAddress.class)
                        .hasSingleBean(LimitAdvisor.class)
                        .hasSingleBean(RateLimitExceptionResolver.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"jakarta.servlet", "org.springframework.web", "org.redisson", "org.springframework.security"})
    void no_optional_library_is_needed(String missing) {
        redis.withClassLoader(new FilteredClassLoader(missing)).run(context -> {
            assertThat(context).hasNotFailed();
            decides(context.getBean(LimiterFactory.class));
        });
        redis.withClassLoader(new FilteredClassLoader(missing))
                .withPropertyValues("limiter.engine=lock")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLock.class));
    }

    @Test
    void a_local_limiter_works_without_all_optional_libraries() {
        Contexts.local()
                .withClassLoader(new FilteredClassLoader(
                        "jakarta.servlet",
                        "org.springframework.web",
                        "org.redisson",
                        "org.springframework.security",
                        "org.springframework.data",
                        "io.lettuce",
                        "reactor",
                        "org.reactivestreams",
                        "io.micrometer",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.transaction"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    decides(context.getBean(LimiterFactory.class));
                });
    }

    @Test
    void the_application_fails_to_start_without_a_connection_to_redis() {
        Contexts.plain()
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(RedisConnectionException.class));
        Contexts.plain()
                .withPropertyValues("limiter.engine=lock")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(RedisConnectionException.class));
        Contexts.plain()
                .withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(RedisConnectionException.class));
    }

    private static RedisConnectionFactory lettuce() {
        return new LettuceConnectionFactory(
                TestRedis.shared().host(), TestRedis.shared().port());
    }

    private static RedissonClient redisson() {
        Config config = new Config();
        config.useSingleServer()
                .setAddress(TestRedis.shared().uri())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(2);
        return Redisson.create(config);
    }

    private static void decides(LimiterFactory factory) {
        RateLimiter limiter = factory.build("auto-configured-" + UUID.randomUUID(), 1.0 / 60, 60, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    /** As an application may write it, of public types. */
    private static final class OwnAdvisor extends DefaultPointcutAdvisor implements LimitAdvisor {
        OwnAdvisor() {
            super(Pointcut.TRUE, (MethodInterceptor) MethodInvocation::proceed);
        }
    }

    private static RateLimitExceptionResolver resolver() {
        return (request, response, handler, exception) -> null;
    }
}
