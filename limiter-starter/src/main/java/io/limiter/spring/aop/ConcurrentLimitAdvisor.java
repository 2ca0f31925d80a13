package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.key.spel.CallKeys;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link ConcurrentLimit}, as a bean that Spring's auto-proxying picks up. Stands right
 * behind the {@link LimitAdvisor}: a call that is refused for its rate holds no place.
 */
public final class ConcurrentLimitAdvisor extends LimitingAdvisor<BoundConcurrency> implements BeanFactoryAware {

    private final ApplicationBeans beans;

    /**
     * @param factory asked for when the first limiter is built, not before the application's beans are there
     * @param order of the {@link LimitAdvisor}
     */
    public ConcurrentLimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order) {
        this(factory, keys, order, new ConfiguredLimits(Map.of()));
    }

    /**
     * @param factory asked for when the first limiter is built, not before the application's beans are there
     * @param order of the {@link LimitAdvisor}
     * @param configured by the names of limits, whose numbers they change
     */
    public ConcurrentLimitAdvisor(
            Supplier<LimiterFactory> factory, CallKeys keys, int order, ConfiguredLimits configured) {
        this(factory, keys, order, configured, new ApplicationBeans());
    }

    private ConcurrentLimitAdvisor(
            Supplier<LimiterFactory> factory,
            CallKeys keys,
            int order,
            ConfiguredLimits configured,
            ApplicationBeans beans) {
        super(
                methods(factory, keys, configured, beans),
                ConcurrentLimitInterceptor::new,
                order == Ordered.LOWEST_PRECEDENCE ? order : order + 1);
        this.beans = beans;
    }

    /** Where what hears of decisions is looked up. */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans.setFactory(beanFactory);
    }

    private static LimitedMethods<?, BoundConcurrency> methods(
            Supplier<LimiterFactory> factory, CallKeys keys, ConfiguredLimits configured, ApplicationBeans beans) {
        LimitBinder<DeclaredConcurrency, BoundConcurrency> binder = new LimitBinder<>(
                factory, keys, (prefixed, declared) -> BoundConcurrency.of(prefixed, declared, beans));
        return new LimitedMethods<>(
                new LimitedMethodFinder<>(
                        new LimitAnnotations(List.of(ConcurrentLimit.class)),
                        beans::needsSubclass,
                        (method, userClass) -> DeclaredConcurrency.parse(method, userClass, keys, configured)),
                (method, beanClass, declared) -> {
                    EventLoops.checkMayHold(declared.where(), method, beanClass, beans);
                    return binder.bind(declared);
                });
    }
}
