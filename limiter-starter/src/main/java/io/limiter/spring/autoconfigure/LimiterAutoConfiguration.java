package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.aop.RetryAfterLimits;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.event.EventPublishingListener;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.key.CurrentKeyRequest;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** The limiters, and the advisor that applies them to annotated methods. */
@AutoConfiguration(
        // By name: Spring Boot 4 has moved them, and Redisson's starter may not be there.
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.redisson.spring.starter.RedissonAutoConfiguration",
            "org.redisson.spring.starter.RedissonAutoConfigurationV2",
            "org.redisson.spring.starter.RedissonAutoConfigurationV4"
        })
@ConditionalOnEnabledLimiter
@EnableConfigurationProperties(LimiterProperties.class)
@Import({
    PropertyNames.class,
    LimiterAutoConfiguration.AutoProxyRegistrar.class,
    CallerConfigurations.ExchangeUsersOfSecurity.class,
    CallerConfigurations.CallerOfExchange.class,
    CallerConfigurations.UserOfSecurity.class,
    CallerConfigurations.CallerOfRequest.class,
    LimiterFactoryConfigurations.OfRedis.class,
    LimiterFactoryConfigurations.OfThisProcess.class,
    LimiterFactoryConfigurations.OfThisProcessAlone.class,
    LimiterFactoryConfigurations.WithoutRedis.class,
    LimiterFactoryConfigurations.AroundRedis.class,
    LimiterFactoryConfigurations.WithoutLiveLimits.class
})
public class LimiterAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LimiterAutoConfiguration.class);

    /** The limits of this context, because a child may have other properties than its parent. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static ConfiguredLimits limiterConfiguredLimits(PropertyNames names, Environment environment) {
        return new ConfiguredLimits(ConfiguredLimits.read(names.binder(environment)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static NamedLimitsProcessor limiterNamedLimitsProcessor(ObjectProvider<ConfiguredLimits> configured) {
        return new NamedLimitsProcessor(configured::getObject);
    }

    @Bean
    EventPublishingListener limiterEvents(ApplicationEventPublisher publisher) {
        return new EventPublishingListener(publisher);
    }

    /** Warns about {@code limiter.http} in an application that serves no HTTP requests. */
    @Bean
    SmartInitializingSingleton limiterUnusedHttpRules(
            ListableBeanFactory beans, PropertyNames names, Environment environment) {
        return () -> {
            if (!beans.containsBean("limiterHttpRules")
                    && !names.rules(environment).isEmpty()) {
                log.warn(
                        "limiter.http has rules without effect, because this is neither a servlet application nor one of"
                                + " WebFlux: remove limiter.http");
            }
        };
    }

    /**
     * It is created before most beans, so it looks others up later, and reads its order without a bean. Each context has one of its
     * own: a creator of proxies may ignore that of its parent, which does not know the beans of a child either. A child's hides
     * that of its parent, because they have one name.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(value = LimitAdvisor.class, search = SearchStrategy.CURRENT)
    static AnnotationLimitAdvisor limiterAdvisor(
            ObjectProvider<LimiterFactory> factory,
            ObjectProvider<ClientAddress> clientAddress,
            ObjectProvider<CurrentUser> currentUser,
            ObjectProvider<CurrentKeyRequest> currentRequest,
            ConfiguredLimits configured,
            Environment environment) {
        CallerFacts caller = new CallerFacts(
                clientAddress::getIfAvailable, currentUser::getIfAvailable, currentRequest::getIfAvailable);
        int order = Binder.get(environment).bind("limiter.order", Integer.class).orElse(LimitAdvisor.DEFAULT_ORDER);
        return new AnnotationLimitAdvisor(factory::getObject, caller, order, configured);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnClass(name = "org.springframework.resilience.annotation.Retryable")
    static RetryAfterLimits limiterRetryAfterLimits() {
        return new RetryAfterLimits();
    }

    /**
     * Registers a creator of proxies unless there is one. Without it, annotations would have no effect in an application that
     * has disabled Spring Boot's own ({@code spring.aop.auto}), or excludes AspectJ. Such an application does not expect that beans of other
     * advisors become proxies of their classes.
     */
    static final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        AutoProxyRegistrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            boolean auto = environment.getProperty("spring.aop.auto", Boolean.class, true);
            if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, auto)) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
