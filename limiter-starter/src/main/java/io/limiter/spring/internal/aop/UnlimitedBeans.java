package io.limiter.spring.internal.aop;

import io.limiter.spring.internal.aop.annotated.LimitAnnotations;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Warns of beans of a child context whose annotations limit nothing. Nothing but the child can make their proxies, and its creator of
 * proxies, if it has one, may ignore the advisors of the parent.
 */
final class UnlimitedBeans implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(UnlimitedBeans.class);

    private final AnnotationLimitAdvisor advisor;

    UnlimitedBeans(AnnotationLimitAdvisor advisor) {
        this.advisor = advisor;
    }

    /** A child that has an advisor of its own makes proxies with it. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent started) {
        if (started.getApplicationContext() instanceof ConfigurableApplicationContext child
                && child.getBeanProvider(AnnotationLimitAdvisor.class).getIfUnique() == advisor
                && child.getBeanNamesForType(AnnotationLimitAdvisor.class, true, false).length == 0) {
            warnOf(child);
        }
    }

    /** Checks the singletons that exist. */
    private static void warnOf(ConfigurableApplicationContext child) {
        Map<String, String> found = new LinkedHashMap<>();
        ConfigurableListableBeanFactory beans = child.getBeanFactory();
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
            if (bean != null && !isLimited(bean) && isAnnotated(AopUtils.getTargetClass(bean))) {
                found.put(
                        name,
                        ClassUtils.getUserClass(AopUtils.getTargetClass(bean)).getName());
            }
        }
        if (!found.isEmpty()) {
            log.warn(
                    "The limits of these beans have no effect, because nothing in their child context '{}' makes proxies with the"
                            + " advisors of its parent: {}. Add @EnableAspectJAutoProxy or @EnableAutoConfiguration to a"
                            + " configuration of that context, or define the beans in the parent",
                    child.getDisplayName(),
                    found);
        }
    }

    private static boolean isLimited(Object bean) {
        return bean instanceof Advised proxy
                && Arrays.stream(proxy.getAdvisors())
                        .anyMatch(advisor -> advisor.getAdvice() instanceof LimitInterceptor);
    }

    private static boolean isAnnotated(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        try {
            return LimitAnnotations.mayBeIn(userClass)
                    && (LimitAnnotations.areOn(userClass)
                            || !MethodIntrospector.selectMethods(
                                            userClass,
                                            (Method method) ->
                                                    LimitAnnotations.areOn(method, userClass) ? Boolean.TRUE : null)
                                    .isEmpty());
        } catch (IllegalStateException | LinkageError e) {
            // Types of the class are missing.
            return LimitAnnotations.areInFilesOf(type);
        }
    }
}
