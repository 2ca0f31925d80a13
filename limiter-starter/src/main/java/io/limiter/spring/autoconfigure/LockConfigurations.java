package io.limiter.spring.autoconfigure;

import io.limiter.redis.RedisLock;
import io.limiter.redis.RedissonLock;
import io.limiter.spi.DistributedLock;
import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import io.limiter.spring.settings.InvalidSettingException;
import org.redisson.api.RedissonClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The locks of the lock engine, imported in this order. The first configuration that applies creates the lock. */
final class LockConfigurations {

    private LockConfigurations() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "limiter", name = "engine", havingValue = "lock")
    @ConditionalOnClass(RedissonClient.class)
    @ConditionalOnBean(RedissonClient.class)
    @Conditional(KindIsNotRedis.class)
    @ConditionalOnMissingBean(DistributedLock.class)
    static class OfRedisson {

        @Bean
        DistributedLock limiterLock(RedissonClient redisson, LimiterProperties properties) {
            return new RedissonLock(redisson, properties.lock().lease());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "limiter", name = "engine", havingValue = "lock")
    @ConditionalOnMissingBean(DistributedLock.class)
    static class Plain {

        @Bean
        DistributedLock limiterLock(
                @LimiterRedisConnectionFactory ObjectProvider<RedisConnectionFactory> own,
                ObjectProvider<RedisConnectionFactory> connections,
                LimiterProperties properties) {
            if (properties.lock().kind() == LimiterProperties.LockKind.REDISSON) {
                throw new InvalidSettingException(
                        "limiter.lock.kind",
                        "limiter.lock.kind is redisson, and there is no RedissonClient bean:"
                                + " define one, or set limiter.lock.kind to auto or redis");
            }
            return new RedisLock(
                    LimiterFactoryConfigurations.required(own, connections),
                    properties.lock().lease());
        }
    }

    static final class KindIsNotRedis extends NoneNestedConditions {

        KindIsNotRedis() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnProperty(prefix = "limiter.lock", name = "kind", havingValue = "redis")
        static class KindIsRedis {}
    }
}
