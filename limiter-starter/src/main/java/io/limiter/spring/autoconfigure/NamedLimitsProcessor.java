package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Tells each limiter factory of the limits of {@code limiter.limits}, which code asks it for by their names: the default one, those of
 * the application, and that of tests.
 */
final class NamedLimitsProcessor implements BeanPostProcessor {

    private final Supplier<ConfiguredLimits> configured;

    /** @param configured first called when a limit is asked for by its name */
    NamedLimitsProcessor(Supplier<ConfiguredLimits> configured) {
        this.configured = configured;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof LimiterFactory factory) {
            configure(factory, configured);
        }
        return bean;
    }

    static void configure(LimiterFactory factory, Supplier<ConfiguredLimits> configured) {
        EngineLimiterFactory limiters = EngineLimiterFactory.of(factory);
        if (limiters != null) {
            limiters.defined().configuredBy(configured);
        }
    }
}
