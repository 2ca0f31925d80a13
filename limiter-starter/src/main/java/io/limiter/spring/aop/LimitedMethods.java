package io.limiter.spring.aop;

import io.limiter.spring.settings.ConfiguredLimits;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * The limited methods of all beans. A class is parsed as a whole when its first bean is created, so that an invalid
 * annotation prevents that bean and fails no call. Limiters are built when the application has started, for beans created
 * later at once, and for methods called earlier in their first call.
 */
final class LimitedMethods {

    private final LimitParser parser;
    private final LimitedMethodFinder finder;
    private final LimitBinder binder;
    private final Map<Class<?>, Map<Method, LimitedMethod>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<LimitedMethod>> byCall = new ConcurrentHashMap<>();
    private volatile boolean started;

    /** Held while a class is parsed or the configuration changes, and never while a bean is looked up. */
    private final Object changing = new Object();

    LimitedMethods(LimitParser parser, LimitedMethodFinder finder, LimitBinder binder) {
        this.parser = parser;
        this.finder = finder;
        this.binder = binder;
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

    /** The limits of a call. */
    MethodLimits limiting(MethodInvocation call) {
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

    /**
     * Applies another configuration to all limits, and to those of classes that are parsed later.
     *
     * @throws IllegalArgumentException if it makes no valid limit of one of them; nothing changes
     */
    void reconfigure(ConfiguredLimits configured) {
        synchronized (changing) {
            Map<LimitedMethod, List<DeclaredLimit>> changed = new LinkedHashMap<>();
            for (LimitedMethod method : all()) {
                changed.put(
                        method,
                        method.declared.stream()
                                .map(limit -> limit.configuredBy(configured))
                                .toList());
            }
            List<Runnable> changes = new ArrayList<>();
            // First, because the endpoint shows limiters as soon as they are built.
            changes.add(binder.recheck(
                    changed.values().stream().flatMap(List::stream).toList()));
            changed.forEach((method, limits) -> {
                changes.add(() -> method.declared = limits);
                MethodLimits bound = method.bound;
                for (int i = 0; bound != null && i < limits.size(); i++) {
                    changes.add(bound.limits().get(i).change(limits.get(i)));
                }
            });
            parser.configure(configured);
            changes.forEach(Runnable::run);
        }
    }

    /** All limits that are known so far. */
    List<DeclaredLimit> declared() {
        return all().stream().flatMap(method -> method.declared.stream()).toList();
    }

    private List<LimitedMethod> all() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
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
        if (known != null) {
            return known;
        }
        synchronized (changing) {
            return byClass.computeIfAbsent(beanClass, this::parse);
        }
    }

    private Map<Method, LimitedMethod> parse(Class<?> beanClass) {
        Map<Method, LimitedMethod> methods = new HashMap<>();
        finder.find(beanClass)
                .forEach((method, declared) -> methods.put(method, new LimitedMethod(method, beanClass, declared)));
        return Map.copyOf(methods);
    }

    private final class LimitedMethod {

        private final Method method;
        private final Class<?> beanClass;
        private volatile List<DeclaredLimit> declared;
        private volatile @Nullable MethodLimits bound;

        LimitedMethod(Method method, Class<?> beanClass, List<DeclaredLimit> declared) {
            this.method = method;
            this.beanClass = beanClass;
            this.declared = declared;
        }

        MethodLimits bound() {
            MethodLimits limits = bound;
            return limits == null ? bind() : limits;
        }

        private MethodLimits bind() {
            while (true) {
                List<DeclaredLimit> used = declared;
                MethodLimits made = binder.bind(method, beanClass, used);
                synchronized (changing) {
                    MethodLimits other = bound;
                    if (other != null) {
                        return other;
                    }
                    if (used == declared) {
                        bound = made;
                        return made;
                    }
                }
            }
        }
    }
}
