package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
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

    /** All limits that are known so far. */
    List<DeclaredLimit> declared() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
                .flatMap(method -> method.declared.stream())
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
                .forEach((method, declared) -> methods.put(method, new LimitedMethod(method, beanClass, declared)));
        return Map.copyOf(methods);
    }

    private final class LimitedMethod {

        private final Method method;
        private final Class<?> beanClass;
        private final List<DeclaredLimit> declared;
        private final AtomicReference<@Nullable MethodLimits> bound = new AtomicReference<>();

        LimitedMethod(Method method, Class<?> beanClass, List<DeclaredLimit> declared) {
            this.method = method;
            this.beanClass = beanClass;
            this.declared = declared;
        }

        MethodLimits bound() {
            MethodLimits known = bound.get();
            if (known != null) {
                return known;
            }
            // No lock is held, because a bean may be looked up, and its creation may end in the same method.
            bound.compareAndSet(null, binder.bind(method, beanClass, declared));
            return Objects.requireNonNull(bound.get());
        }
    }
}
