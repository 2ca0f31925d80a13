package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.check.CallCounts;
import io.limiter.spring.key.spel.CallKeys;
import io.limiter.spring.settings.ConfiguredLimits;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link RateLimit}, {@link CountLimit} or {@link ConcurrentLimit}, as a bean that Spring's
 * auto-proxying picks up.
 */
public final class LimitAdvisor implements PointcutAdvisor, Ordered, SmartInitializingSingleton, BeanFactoryAware {

    /**
     * Before transactions and caches, so that a rejected call uses neither, and after method security, so that a call that is
     * not authorized takes no permits.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private final ApplicationBeans beans = new ApplicationBeans();
    private final ConfiguredLimits configured;
    private final LimitedMethods methods;
    private final Pointcut pointcut;
    private final Advice advice;
    private final int order;

    /**
     * An advisor without configured limits.
     *
     * @param factory first called when a limiter is built, after the application's beans have been created
     * @param order among the advisors of a method; lower comes first
     */
    public LimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order) {
        this(factory, keys, order, new ConfiguredLimits(Map.of()));
    }

    /**
     * @param factory first called when a limiter is built, after the application's beans have been created
     * @param order among the advisors of a method; lower comes first
     * @param configured the settings that override those of annotations
     */
    public LimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order, ConfiguredLimits configured) {
        this.configured = configured;
        LimitParser parser = new LimitParser(keys, configured);
        this.methods = new LimitedMethods(
                parser, new LimitedMethodFinder(parser, beans), new LimitBinder(factory, keys, beans));
        this.pointcut = new LimitedMethodsPointcut(methods);
        this.advice = new LimitInterceptor(methods, beans);
        this.order = order;
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** Sets where resolvers, recorders and the executor of methods that return futures are looked up. */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans.setFactory(beanFactory);
    }

    /** The prefix of an annotated limit's settings, or {@code annotation}; {@code null} if no annotation has the limit. */
    public @Nullable String definedBy(String prefix, String name) {
        return methods.declared().stream()
                .filter(limit -> limit.name().prefix().equals(prefix)
                        && limit.name().name().equals(name))
                .findFirst()
                .map(limit -> limit.configured().definedBy())
                .orElse(null);
    }

    /** Counts outcomes of calls that limiters do not see. */
    public CallCounts callCounts() {
        return beans.calls();
    }

    /**
     * Applies another configuration to all limits: numbers, timeout, mode and failure policy.
     *
     * @throws IllegalArgumentException if it makes no valid limit of one of them; all limits stay as they are
     */
    public void reconfigure(ConfiguredLimits newConfigured) {
        methods.reconfigure(newConfigured);
        newConfigured.warnOfUnused();
    }

    /** Builds the limiters, so that a bad one prevents startup and not a call. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.start();
        configured.warnOfUnused();
    }

    private static final class LimitedMethodsPointcut extends StaticMethodMatcherPointcut {

        private final LimitedMethods methods;

        LimitedMethodsPointcut(LimitedMethods methods) {
            this.methods = methods;
            ClassFilter anyLimited = methods::anyIn;
            setClassFilter(anyLimited);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return methods.contains(method, targetClass);
        }
    }
}
