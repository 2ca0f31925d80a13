package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.spel.CallKeys;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link RateLimit} or {@link CountLimit}, as a bean that Spring's auto-proxying picks up.
 */
public final class LimitAdvisor extends LimitingAdvisor<BoundLimits> implements BeanFactoryAware {

    /**
     * Before transactions and caches, so that a refused call opens none and asks none, and after method security, so
     * that permits are only spent by those who may call at all.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private final ApplicationBeans beans;
    private final ConfiguredLimits configured;

    /**
     * @param factory asked for when the first limiter is built, not before the application's beans are there
     * @param order among the advisors of a method; lower comes first
     */
    public LimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order) {
        this(factory, keys, order, new ConfiguredLimits(Map.of()));
    }

    /**
     * @param factory asked for when the first limiter is built, not before the application's beans are there
     * @param order among the advisors of a method; lower comes first
     * @param configured by the names of limits, whose numbers they change
     */
    public LimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order, ConfiguredLimits configured) {
        this(factory, keys, order, configured, new ApplicationBeans());
    }

    private LimitAdvisor(
            Supplier<LimiterFactory> factory,
            CallKeys keys,
            int order,
            ConfiguredLimits configured,
            ApplicationBeans beans) {
        super(methods(factory, keys, configured, beans), methods -> new LimitInterceptor(methods, beans), order);
        this.configured = configured;
        this.beans = beans;
    }

    private static LimitedMethods<?, BoundLimits> methods(
            Supplier<LimiterFactory> factory, CallKeys keys, ConfiguredLimits configured, ApplicationBeans beans) {
        LimitBinder<DeclaredLimit, BoundLimit> binder =
                new LimitBinder<>(factory, keys, (prefixed, declared) -> BoundLimit.of(declared, prefixed, beans));
        return new LimitedMethods<>(
                new LimitedMethodFinder<>(
                        new LimitAnnotations(List.of(RateLimit.class, CountLimit.class)),
                        beans::needsSubclass,
                        new LimitParser(keys, configured)::parse),
                (method, beanClass, limits) -> {
                    CallStyle style = CallStyle.of(method);
                    if (style == CallStyle.DIRECT) {
                        EventLoops.checkHandlerMayWait(limits.get(0).where(), method, beanClass, beans);
                    }
                    return new BoundLimits(
                            style, limits.stream().map(binder::bind).toList());
                });
    }

    /** Where resolvers are looked up, and the executor for methods that return futures. */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans.setFactory(beanFactory);
    }

    /** What becomes of calls, as far as limiters do not know it. */
    public CallCounts callCounts() {
        return beans.calls();
    }

    @Override
    public void afterSingletonsInstantiated() {
        super.afterSingletonsInstantiated();
        configured.warnOfUnused();
    }
}
