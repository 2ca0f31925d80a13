package io.limiter.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations of methods and types, also those that are inherited, repeated or within others, and reads them. */
final class LimitAnnotations {

    /** 1000 days, as in configuration. */
    static final double LONGEST_SECONDS = 86_400_000;

    private final List<Class<? extends Annotation>> types;

    LimitAnnotations(List<Class<? extends Annotation>> types) {
        this.types = types;
    }

    /** Whether there is any use in looking at the methods of a class. */
    boolean mayBeIn(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, types);
    }

    boolean areOn(AnnotatedElement element) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return types.stream().anyMatch(annotations::isPresent);
    }

    /** Whether annotations on the type apply to a method: all that others can call, and that a proxy can limit. */
    static boolean coverMethod(Method method, Class<?> userClass) {
        int modifiers = method.getModifiers();
        // A final method that is inherited is not the author's to change; one of the type itself is, and is reported.
        boolean inheritedFinal = Modifier.isFinal(modifiers) && method.getDeclaringClass() != userClass;
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && !inheritedFinal
                && !ReflectionUtils.isObjectMethod(method);
    }

    /** Those of the method, or if it has none of this kind, those of the bean's class, in the order declared. */
    static <A extends Annotation> List<MergedAnnotation<A>> of(Class<A> kind, Method method, Class<?> userClass) {
        List<MergedAnnotation<A>> own = nearest(kind, method);
        return own.isEmpty() && coverMethod(method, userClass) ? nearest(kind, userClass) : own;
    }

    /** @throws IllegalArgumentException if the attribute is out of its range */
    static Duration seconds(MergedAnnotation<?> annotation, String attribute, double shortest, double longest) {
        double seconds = annotation.getDouble(attribute);
        // Written so that NaN fails.
        if (!(seconds >= shortest && seconds <= longest)) {
            throw new IllegalArgumentException(
                    attribute + " (seconds) must be between " + shortest + " and " + longest + ", was " + seconds);
        }
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** Those that stand closest: a method that overrides another replaces its limits, it does not add to them. */
    private static <A extends Annotation> List<MergedAnnotation<A>> nearest(Class<A> kind, AnnotatedElement element) {
        List<MergedAnnotation<A>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(kind)
                .toList();
        int closest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream()
                .filter(annotation -> annotation.getAggregateIndex() == closest)
                .toList();
    }
}
