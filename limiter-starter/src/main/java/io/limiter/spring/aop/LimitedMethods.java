package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * The limited methods of all beans. A class is parsed when its first bean is made, all of it, so that a bad annotation
 * stops that bean rather than a caller. Limiters are built when the application has started, for beans made later at
 * once, and for methods called earlier in their first call.
 */
final class LimitedMethods {

    private final LimitedMethodFinder finder;
    private final LimitBinder binder;
    private final Map<Class<?>, Map<Method, LimitedMethod>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<LimitedMethod>> byCall = new ConcurrentHashMap<>();
    private volatile boolean started;

    LimitedMethods(LimitedMethodFinder finder, LimitBinder binder) {
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

    /** {@code null} if the method of this class is not limited. */
    @Nullable
    BoundLimits limits(Method method, Class<?> beanClass) {
        LimitedMethod limited = find(method, beanClass).orElse(null);
        return limited == null ? null : limited.bound();
    }

    /** From now on the application's beans are there. */
    void start() {
        started = true;
        byClass.values().forEach(methods -> methods.values().forEach(LimitedMethod::bound));
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
    static Method mostSpecific(Method method, Class<?> beanClass) {
        return Proxy.isProxyClass(beanClass) ? method : AopUtils.getMostSpecificMethod(method, beanClass);
    }

    private Map<Method, LimitedMethod> in(Class<?> beanClass) {
        Map<Method, LimitedMethod> known = byClass.get(beanClass);
        return known != null ? known : byClass.computeIfAbsent(beanClass, this::parse);
    }

    private Map<Method, LimitedMethod> parse(Class<?> beanClass) {
        Map<Method, LimitedMethod> methods = new HashMap<>();
        finder.find(beanClass)
                .forEach((method, limits) -> methods.put(method, new LimitedMethod(CallStyle.of(method), limits)));
        return Map.copyOf(methods);
    }

    private final class LimitedMethod {

        private final CallStyle style;
        private final List<DeclaredLimit> declared;
        private volatile @Nullable BoundLimits bound;

        LimitedMethod(CallStyle style, List<DeclaredLimit> declared) {
            this.style = style;
            this.declared = declared;
        }

        BoundLimits bound() {
            BoundLimits limits = bound;
            if (limits == null) {
                limits = new BoundLimits(
                        style, declared.stream().map(binder::bind).toList());
                bound = limits;
            }
            return limits;
        }
    }
}
