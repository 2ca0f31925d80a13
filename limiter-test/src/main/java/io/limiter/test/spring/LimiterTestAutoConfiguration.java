package io.limiter.test.spring;

import io.limiter.LimiterListener;
import io.limiter.live.ForwardingLiveLimits;
import io.limiter.live.LiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.autoconfigure.LimiterAutoConfiguration;
import io.limiter.spring.autoconfigure.RedisRateLimiterFactoryCustomizer;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The limiters of tests with {@link AutoConfigureLimiter}. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
class LimiterTestAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TestClock limiterTestClock() {
        return new TestClock();
    }

    @Bean
    @Primary
    TestLimiterFactory limiterTestFactory(TestClock clock, ObjectProvider<LimiterListener> listeners) {
        return new TestLimiterFactory(clock, listeners.orderedStream().toList());
    }

    /** There are none, and an application whose console is enabled starts. */
    @Bean
    @ConditionalOnMissingBean
    LiveLimits limiterLiveLimits() {
        return new NoLiveLimits();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    static class WithRedisClient {

        /** Its factories take the permits of the test's. */
        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        RedisRateLimiterFactory.Builder limiterTestFactoryBuilder(
                TestLimiterFactory limiters,
                ObjectProvider<LimiterListener> listeners,
                ObjectProvider<RedisRateLimiterFactoryCustomizer> customizers) {
            RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.localBuilder(limiters);
            listeners.orderedStream().forEach(builder::listener);
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder;
        }

        /** For what injects the factory as this type. */
        @Bean
        @ConditionalOnMissingBean
        RedisRateLimiterFactory limiterTestRedisFactory(RedisRateLimiterFactory.Builder builder) {
            return builder.build();
        }
    }

    private static final class NoLiveLimits extends ForwardingLiveLimits {

        NoLiveLimits() {
            super(LiveLimits.NONE);
        }
    }
}
