package io.limiter.spring.internal.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.internal.actuate.KnownLimits;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.metrics.CallCounts;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** The library's own advisor, which knows the limits of all annotated methods. */
public final class AnnotationLimitAdvisor extends StaticMethodMatcherPointcutAdvisor
        implements LimitAdvisor, KnownLimits, SmartInitializingSingleton, BeanFactoryAware, EnvironmentAware {

    private final ApplicationBeans beans = new ApplicationBeans();
    private final ConfiguredLimits configured;
    private final LimitedMethods methods;

    /**
     * @param factory first called when a limiter is built, after the application's beans have been created
     * @param order among the advisors of a method; lower comes first
     * @param configured the settings that override those of annotations
     */
    public AnnotationLimitAdvisor(
            Supplier<LimiterFactory> factory, CallerFacts caller, int order, ConfiguredLimits configured) {
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
        AnnotationLimitAdvisor ofParent = parent == null
                ? null
                : parent.getBeanProvider(AnnotationLimitAdvisor.class).getIfUnique();
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

    /** Builds the limiters, so that the application fails to start if one is invalid, and no call fails later. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.start();
        configured.warnOfUnused();
        beans.listen(new UnlimitedBeans(this));
    }
}
