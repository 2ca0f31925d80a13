package io.limiter.spring.internal.aop.annotated;

import io.limiter.spring.internal.key.MethodName;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The annotations of one kind on one method or type, in the order declared.
 *
 * @param element a method or a class
 * @param annotations at least one
 */
record DeclaredAnnotations<A extends Annotation>(AnnotatedElement element, List<MergedAnnotation<A>> annotations) {

    /** The annotations of a method, of all that it overrides, and of all that it implements in the class. */
    static <A extends Annotation> List<DeclaredAnnotations<A>> ofMethod(
            Class<A> kind, Method method, Class<?> userClass) {
        List<DeclaredAnnotations<A>> found = new ArrayList<>(on(method, kind));
        implemented(method, userClass).forEach(each -> found.addAll(on(each, kind)));
        return found;
    }

    /** The methods of interfaces that an inherited method implements in a class, and not yet in its own. */
    static List<Method> implemented(Method method, Class<?> userClass) {
        Class<?> declaring = method.getDeclaringClass();
        if (declaring == userClass || declaring.isInterface() || Proxy.isProxyClass(userClass)) {
            return List.of();
        }
        return ClassUtils.getAllInterfacesForClassAsSet(userClass).stream()
                .filter(type -> !type.isAssignableFrom(declaring))
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(each -> each.getName().equals(method.getName())
                        && AopUtils.getMostSpecificMethod(each, userClass).equals(method))
                .toList();
    }

    /** The annotations of a class and of all that it extends and implements, or of a method and of all that it overrides. */
    static <A extends Annotation> List<DeclaredAnnotations<A>> on(AnnotatedElement element, Class<A> kind) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(kind)
                .collect(Collectors.groupingBy(
                        MergedAnnotation::getAggregateIndex, TreeMap::new, Collectors.<MergedAnnotation<A>>toList()))
                .values()
                .stream()
                .map(each -> new DeclaredAnnotations<>(
                        each.get(0).getSource() instanceof AnnotatedElement source ? source : element, each))
                .toList();
    }

    /** The annotations of a list that no other one overrides, without repetitions. */
    static <A extends Annotation> List<DeclaredAnnotations<A>> closest(List<DeclaredAnnotations<A>> all) {
        List<DeclaredAnnotations<A>> found = new ArrayList<>();
        for (DeclaredAnnotations<A> each : all) {
            if (all.stream().noneMatch(other -> other.overrides(each))
                    && found.stream().noneMatch(each::declaresSameAs)) {
                found.add(each);
            }
        }
        return found;
    }

    Class<?> type() {
        return element instanceof Method method ? method.getDeclaringClass() : (Class<?>) element;
    }

    boolean declaresSameAs(DeclaredAnnotations<A> other) {
        return values().equals(other.values());
    }

    private List<Map<String, Object>> values() {
        return annotations.stream().map(DeclaredAnnotations::values).toList();
    }

    private static Map<String, Object> values(MergedAnnotation<?> annotation) {
        Map<String, Object> values = new HashMap<>(annotation.asMap());
        // Arrays of the same texts are not equal.
        values.replaceAll((name, value) -> value instanceof Object[] texts ? List.of(texts) : value);
        return values;
    }

    private boolean overrides(DeclaredAnnotations<A> other) {
        return type() != other.type() && other.type().isAssignableFrom(type());
    }

    @Override
    public String toString() {
        return element instanceof Method method ? MethodName.of(method.getDeclaringClass(), method) : type().getName();
    }
}
