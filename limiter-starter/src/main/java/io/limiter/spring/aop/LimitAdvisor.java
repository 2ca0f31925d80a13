package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.actuate.KnownLimits;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.CallerFacts;
import io.limiter.spring.metrics.CallCounts;
import io.limiter.spring.settings.ConfiguredLimits;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Limits the methods that carry {@link RateLimit}, {@link CountLimit} or {@link ConcurrentLimit}, as a bean that Spring's
 * auto-proxying picks up.
 */
public final class LimitAdvisor extends StaticMethodMatcherPointcutAdvisor
        implements KnownLimits, SmartInitializingSingleton, BeanFactoryAware, EnvironmentAware {

    /**
     * Before retries, so that a call takes permits once; before transactions and caches, so that a rejected call uses neither;
     * and after method security, so that a call that is not authorized takes no permits.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private final ApplicationBeans beans = new ApplicationBeans();
    private final ConfiguredLimits configured;
    private final LimitedMethods methods;

    /**
     * @param factory first called when a limiter is built, after the application's beans have been created
     * @param order among the advisors of a method; lower comes first
     * @param configured the settings that override those of annotations
     */
    public LimitAdvisor(Supplier<LimiterFactory> factory, CallerFacts caller, int order, ConfiguredLimits configured) {
        this.configured = configured;
        this.methods = new LimitedMethods(
                new LimitedMethodFinder(new RuleParser(caller, configured, beans), beans),
                new RuleBinder(factory, beans),
                beans);
        setClassFilter(methods::anyIn);
        setAdvice(new LimitInterceptor(methods, beans));
        setOrder(order);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.contains(method, targetClass);
    }

    /** Sets where recorders and other beans are looked up. */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans.setFactory(beanFactory);
        BeanFactory parent = beanFactory instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
        LimitAdvisor ofParent = parent == null
                ? null
                : parent.getBeanProvider(LimitAdvisor.class).getIfUnique();
        if (ofParent != null) {
            // The meters are those of the parent.
            beans.setCalls(ofParent.callCounts());
        }
    }

    ApplicationBeans beans() {
        return beans;
    }

    /** Sets where placeholders in annotations have their values. */
    @Override
    public void setEnvironment(Environment environment) {
        beans.setEnvironment(environment);
    }

    @Override
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

    /** Builds the limiters, so that an invalid one prevents startup and fails no call. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.start();
        configured.warnOfUnused();
        beans.listen(new UnlimitedBeans(this));
    }
}
