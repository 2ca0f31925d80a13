package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spi.DistributedLock;
import io.limiter.spi.EngineObserver;
import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Limiters whose permits are in Redis, by script or under a lock. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnProperty(prefix = "limiter", name = "type", havingValue = "redis", matchIfMissing = true)
@ConditionalOnMissingBean(LimiterFactory.class)
@Import({LockConfigurations.OfRedisson.class, LockConfigurations.Plain.class})
class RedisLimiterConfiguration {

    @Bean
    LimiterFactory limiterFactory(
            @LimiterRedisConnectionFactory ObjectProvider<RedisConnectionFactory> own,
            ObjectProvider<RedisConnectionFactory> connections,
            ObjectProvider<DistributedLock> lock,
            ObjectProvider<EngineObserver> observers,
            ObjectProvider<LimiterListener> listeners,
            LimiterProperties properties) {
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(
                        LimiterConnections.required(own, connections))
                .cacheBounds(properties.cache().bounds())
                .maxQueued(properties.groupCommit().maxQueued())
                .yieldWhileWaiting(properties.groupCommit().yield())
                .denyCacheSize(properties.denyCache().size())
                .failurePolicy(properties.failure().failurePolicy())
                .maxLocalKeys(properties.local().maxKeys())
                .budget(properties.failure().budget())
                .firstBudget(properties.failure().firstBudget())
                .probeInterval(properties.failure().probeInterval())
                .observer(EngineObserver.of(observers.orderedStream().toList()));
        listeners.orderedStream().forEach(builder::listener);
        if (properties.engine() == LimiterProperties.Engine.LOCK) {
            builder.lock(lock.getObject()).lockWait(properties.lock().maxWait());
        }
        return builder.build();
    }

    @Bean
    @ConditionalOnProperty(prefix = "limiter.failure", name = "warm-up", matchIfMissing = true)
    LimiterWarmUp limiterWarmUp(ObjectProvider<LimiterFactory> factory) {
        return new LimiterWarmUp(factory);
    }
}
