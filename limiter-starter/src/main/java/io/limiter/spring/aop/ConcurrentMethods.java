package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.CallKeys;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The methods of all beans that carry a {@link ConcurrentLimit}, as {@link LimitedMethods} has those with other limits: a
 * class is parsed when its first bean is made, and limiters are built when the application has started.
 */
final class ConcurrentMethods {

    private final Supplier<LimiterFactory> factory;
    private final CallKeys keys;
    private final Map<Class<?>, Map<Method, ConcurrentMethod>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<ConcurrentMethod>> byCall = new ConcurrentHashMap<>();
    private final Map<Name, DeclaredConcurrency> byName = new ConcurrentHashMap<>();
    private volatile boolean started;

    ConcurrentMethods(Supplier<LimiterFactory> factory, CallKeys keys) {
        this.factory = factory;
        this.keys = keys;
    }

    boolean anyIn(Class<?> beanClass) {
        Map<Method, ConcurrentMethod> methods = in(beanClass);
        if (started) {
            methods.values().forEach(ConcurrentMethod::bound);
        }
        return !methods.isEmpty();
    }

    /** The limit of a method; {@code null} if it has none. */
    @Nullable
    BoundConcurrency find(Method method, Class<?> beanClass) {
        return known(method, beanClass).map(ConcurrentMethod::bound).orElse(null);
    }

    boolean contains(Method method, Class<?> beanClass) {
        return known(method, beanClass).isPresent();
    }

    /** From now on the application's beans are there. */
    void start() {
        started = true;
        byClass.values().forEach(methods -> methods.values().forEach(ConcurrentMethod::bound));
    }

    private Optional<ConcurrentMethod> known(Method method, Class<?> beanClass) {
        MethodClassKey call = new MethodClassKey(method, beanClass);
        Optional<ConcurrentMethod> known = byCall.get(call);
        if (known == null) {
            known = Optional.ofNullable(in(beanClass).get(LimitedMethods.mostSpecific(method, beanClass)));
            byCall.put(call, known);
        }
        return known;
    }

    private Map<Method, ConcurrentMethod> in(Class<?> beanClass) {
        Map<Method, ConcurrentMethod> known = byClass.get(beanClass);
        return known != null ? known : byClass.computeIfAbsent(beanClass, this::parse);
    }

    private Map<Method, ConcurrentMethod> parse(Class<?> beanClass) {
        if (!AnnotationUtils.isCandidateClass(beanClass, ConcurrentLimit.class)) {
            return Map.of();
        }
        Class<?> userClass = ClassUtils.getUserClass(beanClass);
        boolean onType =
                MergedAnnotations.from(userClass, SearchStrategy.TYPE_HIERARCHY).isPresent(ConcurrentLimit.class);
        Map<Method, ConcurrentMethod> found = new HashMap<>();
        for (Method method : LimitedMethodFinder.methods(beanClass, method -> isLimited(method, userClass, onType))) {
            LimitedMethodFinder.checkCanBeLimited(method, userClass);
            LimitAnnotations.of(ConcurrentLimit.class, method, userClass).stream()
                    .findFirst()
                    .map(annotation -> DeclaredConcurrency.parse(annotation, method, userClass, keys))
                    .ifPresent(declared -> found.put(method, new ConcurrentMethod(declared)));
        }
        if (onType && found.isEmpty()) {
            throw new InvalidLimitException(
                    "limit on " + userClass.getName(), "it has no public methods, so the limit would do nothing");
        }
        return Map.copyOf(found);
    }

    private static boolean isLimited(Method method, Class<?> userClass, boolean onType) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(ConcurrentLimit.class)
                || onType && LimitAnnotations.coverMethod(method, userClass);
    }

    private BoundConcurrency bind(DeclaredConcurrency declared) {
        LimiterFactory limiters = factory.get();
        try {
            keys.checkAvailable(declared.type());
            checkAgrees(declared);
            return new BoundConcurrency(
                    limiters.withPrefix(declared.prefix()).build(declared.name(), declared.limit()),
                    declared.timeout(),
                    declared.key(),
                    declared.message());
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(declared.where(), String.valueOf(e.getMessage()), e);
        }
    }

    private void checkAgrees(DeclaredConcurrency declared) {
        DeclaredConcurrency first = byName.putIfAbsent(new Name(declared.prefix(), declared.name()), declared);
        ConcurrencyLimit limit = declared.limit();
        if (first != null && !first.limit().equals(limit)) {
            throw new IllegalArgumentException("it shares the name '" + declared.name() + "' with " + first.where()
                    + ", which has other numbers: give both the same, or one another name");
        }
    }

    private record Name(String prefix, String name) {}

    private final class ConcurrentMethod {

        private final DeclaredConcurrency declared;
        private volatile @Nullable BoundConcurrency bound;

        ConcurrentMethod(DeclaredConcurrency declared) {
            this.declared = declared;
        }

        BoundConcurrency bound() {
            BoundConcurrency limit = bound;
            if (limit == null) {
                limit = bind(declared);
                bound = limit;
            }
            return limit;
        }
    }
}
