package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.internal.condition.ConditionalOnSetting;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.web.ReactiveRuleLimits;
import io.limiter.spring.web.RuleLimits;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import reactor.core.publisher.Mono;

/** Limiters that grant everything, if limits are disabled, and what else the application may inject. */
@AutoConfiguration
@ConditionalOnSetting(name = "limiter.enabled", havingValue = "false", otherwise = "true")
@Import({PropertyNames.class, CallerConfigurations.UserOfSecurity.class})
public class LimiterOffAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LiveLimits limiterLiveLimits() {
        return LiveLimits.NONE;
    }

    /** Also those of the application grant everything. */
    @Bean
    static DisabledFactories limiterDisabledFactories(
            ConfigurableListableBeanFactory beans, ObjectProvider<ConfiguredLimits> configured) {
        return new DisabledFactories(beans, configured::getObject);
    }

    /** Not read before code asks for a limit by its name. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    static ConfiguredLimits limiterConfiguredLimits(PropertyNames names, Environment environment) {
        return new ConfiguredLimits(ConfiguredLimits.read(names.binder(environment)));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    @Import(LimiterFactoryConfigurations.OfLocalBuilder.class)
    static class WithRedisClient {

        /** Also for a factory of the application. */
        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        @ConditionalOnMissingBean
        RedisRateLimiterFactory.Builder limiterFactoryBuilder() {
            return RedisRateLimiterFactory.localBuilder(LocalLimiterFactory.unlimited());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.data.redis.connection.RedisConnectionFactory")
    static class WithoutRedisClient {

        @Bean
        @ConditionalOnMissingBean
        LimiterFactory limiterFactory() {
            return LocalLimiterFactory.unlimited();
        }
    }

    /** No rule limits anyone, so there is no limit of which something is left. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OfServlets {

        @Bean
        @ConditionalOnMissingBean
        RuleLimits limiterRuleLimits() {
            return rule -> List.of();
        }
    }

    /** As {@link OfServlets}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(Mono.class)
    static class OfWebFlux {

        @Bean
        @ConditionalOnMissingBean
        ReactiveRuleLimits limiterRuleLimits() {
            return rule -> Mono.just(List.of());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @EnableConfigurationProperties(LimiterProperties.class)
    @Import({
        CallerConfigurations.ExchangeUsersOfSecurity.class,
        CallerConfigurations.CallerOfExchange.class,
        CallerConfigurations.UserOfSecurity.class,
        CallerConfigurations.CallerOfRequest.class
    })
    static class Callers {}
}
