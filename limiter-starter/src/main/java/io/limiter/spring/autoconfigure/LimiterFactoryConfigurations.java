package io.limiter.spring.autoconfigure;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisLock;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.RedissonLock;
import io.limiter.spi.DistributedLock;
import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import io.limiter.spring.internal.actuate.EvictionWarning;
import io.limiter.spring.internal.condition.ConditionalOnSetting;
import io.limiter.spring.internal.live.AuditedLiveLimits;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/** The limiter factory, its lock and its live limits. The first configuration that applies creates them. */
final class LimiterFactoryConfigurations {

    private static final Logger log = LoggerFactory.getLogger(LimiterFactoryConfigurations.class);
    private static final int MAX_APPLICATION = 100;
    private static final boolean HAS_REDISSON = ClassUtils.isPresent(
            "org.redisson.api.RedissonClient", LimiterFactoryConfigurations.class.getClassLoader());

    private LimiterFactoryConfigurations() {}

    /** Limiters with permits in Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    @ConditionalOnSetting(
            name = "limiter.type",
            type = LimiterProperties.Type.class,
            havingValue = "redis",
            otherwise = "redis")
    static class OfRedis {

        @Bean
        @Lazy
        @ConditionalOnSetting(
                name = "limiter.engine",
                type = LimiterProperties.Engine.class,
                havingValue = "lock",
                otherwise = "script")
        @ConditionalOnMissingBean
        DistributedLock limiterLock(
                @LimiterRedisConnectionFactory ObjectProvider<RedisConnectionFactory> own,
                ObjectProvider<RedisConnectionFactory> connections,
                BeanFactory beans) {
            DistributedLock redisson = HAS_REDISSON ? Redisson.lock(beans) : null;
            return redisson == null ? new RedisLock(required(own, connections)) : redisson;
        }

        /** For a factory of the application, too. */
        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        RedisRateLimiterFactory.Builder limiterFactoryBuilder(
                @LimiterRedisConnectionFactory ObjectProvider<RedisConnectionFactory> own,
                ObjectProvider<RedisConnectionFactory> connections,
                ObjectProvider<DistributedLock> lock,
                ObjectProvider<LimiterListener> listeners,
                ObjectProvider<RedisRateLimiterFactoryCustomizer> customizers,
                Environment environment,
                LimiterProperties properties) {
            // First, so that a missing client of Redisson is named rather than a missing connection.
            DistributedLock used = properties.engine() == LimiterProperties.Engine.LOCK ? lock.getObject() : null;
            RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(required(own, connections));
            if (used != null) {
                builder.lock(used);
            }
            return configured(builder, listeners, customizers, environment, properties);
        }

        /**
         * Not for a factory of the application, whose connections are unknown, so its definition stands before the one here. A
         * failure of the factory says more than one of this, so it is created later.
         */
        @Bean
        @DependsOn("limiterFactory")
        @ConditionalOnMissingBean(LimiterFactory.class)
        EvictionWarning limiterEvictionWarning(
                @LimiterRedisConnectionFactory ObjectProvider<RedisConnectionFactory> own,
                ObjectProvider<RedisConnectionFactory> connections,
                RedisRateLimiterFactory limiters) {
            return new EvictionWarning(required(own, connections), limiters::statistics);
        }

        @Bean
        @ConditionalOnMissingBean(LimiterFactory.class)
        RedisRateLimiterFactory limiterFactory(
                RedisRateLimiterFactory.Builder builder, Environment environment, LimiterProperties properties) {
            if (!properties.live().enabled() && properties.failurePolicy().equals(FailurePolicy.OWNER)) {
                throw new InvalidSettingException(
                        "limiter.on-failure",
                        " owner needs live limits, from which instances know each other: set limiter.live.enabled to true, or"
                                + " choose deny");
            }
            RedisRateLimiterFactory factory = builder.build();
            if (properties.live().enabled()) {
                // Here, because the bean of live limits may be the application's, or lazy.
                RedisLiveLimits.start(factory, options(environment, properties));
            } else if (properties.isOfOneInstance()) {
                log.info(
                        "Without live limits the instances are not counted: while Redis is unavailable, each decides under the"
                                + " whole of every limit. Set limiter.failure.expected-instances, or limiter.live.enabled to true.");
            }
            return factory;
        }
    }

    /** What a factory over Redis needs, also one of the application. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    @ConditionalOnSingleCandidate(RedisRateLimiterFactory.class)
    static class AroundRedis {

        @Bean
        LimiterLifecycle limiterLifecycle(
                ObjectProvider<RedisRateLimiterFactory> factory,
                LimiterProperties properties,
                ConfigurableApplicationContext context) {
            return new LimiterLifecycle(
                    factory, properties.failure().warmUp(), properties.namespace() == null, context);
        }

        /** Not lazy, because a factory of the application has its live limits from here. */
        @Bean
        @Lazy(false)
        @ConditionalOnSetting(name = "limiter.live.enabled", otherwise = "true")
        @ConditionalOnMissingBean
        LiveLimits limiterLiveLimits(
                RedisRateLimiterFactory factory,
                ApplicationEventPublisher publisher,
                Environment environment,
                LimiterProperties properties) {
            if (factory.isLocal()) {
                return LiveLimits.NONE;
            }
            LiveLimits started = RedisLiveLimits.of(factory)
                    .orElseGet(() -> RedisLiveLimits.start(factory, options(environment, properties)));
            return new AuditedLiveLimits(started, publisher);
        }
    }

    /** So that what injects them starts without Redis too. Imported last. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LiveLimits.class)
    static class WithoutLiveLimits {

        @Bean
        LiveLimits limiterLiveLimits() {
            return LiveLimits.NONE;
        }
    }

    private static RedisRateLimiterFactory.Builder configured(
            RedisRateLimiterFactory.Builder builder,
            ObjectProvider<LimiterListener> listeners,
            ObjectProvider<RedisRateLimiterFactoryCustomizer> customizers,
            Environment environment,
            LimiterProperties properties) {
        builder.namespace(properties.namespace(environment))
                .rejectionCacheSize(properties.rejectionCache().size())
                .failurePolicy(properties.failurePolicy())
                .expectedInstances(properties.failure().expectedInstances())
                .maxLocalKeys(properties.local().maxKeys())
                .decisionTimeout(properties.failure().decisionTimeout())
                .firstDecisionTimeout(properties.failure().firstDecisionTimeout())
                .hashTags(properties.key().hashTags());
        listeners.orderedStream().forEach(builder::listener);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder;
    }

    private static LiveOptions options(Environment environment, LimiterProperties properties) {
        return properties.live().options().withInstance(instance(environment));
    }

    /** Loaded only with Redisson. */
    private static final class Redisson {

        /** {@code null} if there is no client. */
        static @Nullable DistributedLock lock(BeanFactory beans) {
            RedissonClient client = beans.getBeanProvider(RedissonClient.class).getIfAvailable();
            return client == null ? null : new RedissonLock(client);
        }
    }

    /** Limiters with permits in this process, as a program that is written for Redis has them. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    @ConditionalOnSetting(
            name = "limiter.type",
            type = LimiterProperties.Type.class,
            havingValue = "local",
            otherwise = "redis")
    @Import(OfLocalBuilder.class)
    static class OfThisProcess {

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        @ConditionalOnMissingBean
        RedisRateLimiterFactory.Builder limiterFactoryBuilder(
                ObjectProvider<LimiterListener> listeners,
                ObjectProvider<RedisRateLimiterFactoryCustomizer> customizers,
                Environment environment,
                LimiterProperties properties) {
            LimiterFactory local = LocalLimiterFactory.builder()
                    .maxKeys(properties.local().maxKeys())
                    .build();
            return configured(
                    RedisRateLimiterFactory.localBuilder(local), listeners, customizers, environment, properties);
        }
    }

    /** The factory of a builder that decides in this process, where the application has none. */
    @Configuration(proxyBeanMethods = false)
    static class OfLocalBuilder {

        @Bean
        @ConditionalOnMissingBean(LimiterFactory.class)
        RedisRateLimiterFactory limiterFactory(RedisRateLimiterFactory.Builder builder) {
            return builder.build();
        }
    }

    /** The same without Spring Data Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.data.redis.connection.RedisConnectionFactory")
    @ConditionalOnSetting(
            name = "limiter.type",
            type = LimiterProperties.Type.class,
            havingValue = "local",
            otherwise = "redis")
    @ConditionalOnMissingBean(LimiterFactory.class)
    static class OfThisProcessAlone {

        @Bean
        LimiterFactory limiterFactory(ObjectProvider<LimiterListener> listeners, LimiterProperties properties) {
            LocalLimiterFactory.Builder builder =
                    LocalLimiterFactory.builder().maxKeys(properties.local().maxKeys());
            listeners.orderedStream().forEach(builder::listener);
            return builder.build();
        }
    }

    /** Fails if limits are in Redis and Spring Data Redis is missing. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.data.redis.connection.RedisConnectionFactory")
    @ConditionalOnSetting(
            name = "limiter.type",
            type = LimiterProperties.Type.class,
            havingValue = "redis",
            otherwise = "redis")
    @ConditionalOnMissingBean(LimiterFactory.class)
    static class WithoutRedis {

        @Bean
        LimiterFactory limiterFactory() {
            throw RedisConnectionException.none();
        }
    }

    /** Names this instance by its application and its port; empty if the application has no name. */
    private static String instance(Environment environment) {
        String application =
                environment.getProperty("spring.application.name", "").strip();
        String port = environment.getProperty("server.port", "");
        String unique = Integer.toHexString(ThreadLocalRandom.current().nextInt());
        return application.isEmpty()
                ? ""
                : Stream.of(application.substring(0, Math.min(application.length(), MAX_APPLICATION)), port, unique)
                        .filter(part -> !part.isEmpty())
                        .collect(Collectors.joining(":"));
    }

    /**
     * The connection factory that the limiters use.
     *
     * @param own marked with {@link LimiterRedisConnectionFactory}
     * @param all of the application
     * @throws RedisConnectionException if there is none, or several without a primary one
     */
    static RedisConnectionFactory required(
            ObjectProvider<RedisConnectionFactory> own, ObjectProvider<RedisConnectionFactory> all) {
        try {
            RedisConnectionFactory marked = own.getIfAvailable();
            RedisConnectionFactory connections = marked == null ? all.getIfAvailable() : marked;
            if (connections == null) {
                throw RedisConnectionException.none();
            }
            return connections;
        } catch (NoUniqueBeanDefinitionException e) {
            throw RedisConnectionException.several(e);
        }
    }
}
