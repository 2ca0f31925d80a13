package io.limiter.spring.internal.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * The limited methods of all beans. A class is parsed as a whole when its first bean is created, so that an invalid
 * annotation prevents that bean and fails no call. Limiters are built when the application has started. For beans that are created
 * later they are built with the bean, and for methods that are called earlier, in their first call.
 */
final class LimitedMethods {

    private final LimitedMethodFinder finder;
    private final RuleBinder binder;
    private final ApplicationBeans beans;
    private final Map<Class<?>, Map<Method, LimitedMethod>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<LimitedMethod>> byCall = new ConcurrentHashMap<>();
    private volatile boolean started;

    LimitedMethods(LimitedMethodFinder finder, RuleBinder binder, ApplicationBeans beans) {
        this.finder = finder;
        this.binder = binder;
        this.beans = beans;
    }

    boolean anyIn(Class<?> beanClass) {
        Map<Method, LimitedMethod> methods = in(beanClass);
        if (started) {
            methods.values().forEach(LimitedMethod::bound);
        }
        return !methods.isEmpty();
    }

    boolean contains(Method method, Class<?> beanClass) {
        return find(method, beanClass).isPresent();
    }

    /** The method that is called. */
    LimitedMethod called(MethodInvocation call) {
        Method method = call.getMethod();
        Object target = call.getThis();
        Class<?> outer = target == null ? method.getDeclaringClass() : target.getClass();
        Class<?> inner = target == null ? outer : AopUtils.getTargetClass(target);
        // What a proxy stands for need not have the method: a repository's interface is implemented by no class.
        return find(method, inner)
                .or(() -> find(method, outer))
                .orElseThrow(() ->
                        new IllegalStateException("the limits of " + method + " were not found for " + inner.getName()))
                .bound();
    }

    /** Builds the limiters, now that the application's beans have been created. */
    void start() {
        started = true;
        byClass.values().forEach(methods -> methods.values().forEach(LimitedMethod::bound));
    }

    /** What is declared by the methods that are known so far. */
    List<AnnotationRule> declared() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
                .flatMap(method -> method.declared().stream())
                .toList();
    }

    private Optional<LimitedMethod> find(Method method, Class<?> beanClass) {
        MethodClassKey call = new MethodClassKey(method, beanClass);
        Optional<LimitedMethod> known = byCall.get(call);
        if (known == null) {
            known = Optional.ofNullable(in(beanClass).get(mostSpecific(method, beanClass)));
            byCall.put(call, known);
        }
        return known;
    }

    /** The method as the class itself declares it; the call may have come through an interface or a bridge. */
    private static Method mostSpecific(Method method, Class<?> beanClass) {
        return Proxy.isProxyClass(beanClass) ? method : AopUtils.getMostSpecificMethod(method, beanClass);
    }

    private Map<Method, LimitedMethod> in(Class<?> beanClass) {
        Map<Method, LimitedMethod> known = byClass.get(beanClass);
        return known == null ? byClass.computeIfAbsent(beanClass, this::parse) : known;
    }

    private Map<Method, LimitedMethod> parse(Class<?> beanClass) {
        Map<Method, LimitedMethod> methods = new HashMap<>();
        finder.find(beanClass)
                .forEach((method, declared) ->
                        methods.put(method, new LimitedMethod(method, beanClass, declared, binder, beans)));
        return Map.copyOf(methods);
    }
}
