package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Replaces limiter factories of the application, whose limits are disabled, too: whoever injects one, such as outgoing calls or a
 * gateway, gets one that grants everything.
 */
final class DisabledFactories implements BeanPostProcessor {

    private static final Logger log = LoggerFactory.getLogger(DisabledFactories.class);

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<ConfiguredLimits> configured;

    /** @param configured the limits that the factories know by their names; first called when one is asked for */
    DisabledFactories(ConfigurableListableBeanFactory beans, Supplier<ConfiguredLimits> configured) {
        this.beans = beans;
        this.configured = configured;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (!(bean instanceof LimiterFactory)) {
            return bean;
        }
        LimiterFactory used = disabled(bean, name);
        NamedLimitsProcessor.configure(used, configured);
        return used;
    }

    private LimiterFactory disabled(Object bean, String name) {
        LimiterFactory unlimited = LocalLimiterFactory.unlimited();
        LimiterFactory disabled = bean instanceof RedisRateLimiterFactory
                ? RedisRateLimiterFactory.localBuilder(unlimited).build()
                : unlimited;
        Class<?> declared = declaredType(bean, name);
        if (declared.isInstance(disabled)) {
            return disabled;
        }
        log.warn(
                "limiter.enabled=false does not disable the limits of the bean '{}', because it is declared as {}: declare it as"
                        + " LimiterFactory",
                name,
                declared.getName());
        return (LimiterFactory) bean;
    }

    private Class<?> declaredType(Object bean, String name) {
        Class<?> type = beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getResolvableType().resolve()
                : null;
        return type == null ? bean.getClass() : type;
    }
}
