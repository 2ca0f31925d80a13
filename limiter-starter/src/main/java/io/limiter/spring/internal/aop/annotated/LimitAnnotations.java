package io.limiter.spring.internal.aop.annotated;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.key.MethodName;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations of methods and types, also those that are inherited, repeated or within others, and reads them. */
public final class LimitAnnotations {

    private static final List<Class<? extends Annotation>> KINDS =
            List.of(RateLimit.class, CountLimit.class, ConcurrentLimit.class);

    /** With the containers of repeated annotations, because class files only name these. */
    private static final List<String> NAMES = Stream.of(
                    RateLimit.class,
                    RateLimit.List.class,
                    CountLimit.class,
                    CountLimit.List.class,
                    ConcurrentLimit.class)
            .map(Class::getName)
            .toList();

    private LimitAnnotations() {}

    /** Whether a class can have limited methods. */
    public static boolean mayBeIn(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, KINDS);
    }

    /** Whether they are on a method, or on one that it overrides or implements. */
    public static boolean areOn(Method method, Class<?> userClass) {
        return areOn(method)
                || DeclaredAnnotations.implemented(method, userClass).stream().anyMatch(LimitAnnotations::areOn);
    }

    public static boolean areOn(AnnotatedElement element) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return KINDS.stream().anyMatch(annotations::isPresent);
    }

    /**
     * Whether a class, a superclass or an interface has such annotations on it or on a method, read from the class files. For
     * classes whose methods cannot be loaded. A class without a file may have some, unless it is a lambda's.
     */
    public static boolean areInFilesOf(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Set<Class<?>> all = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(userClass));
        for (Class<?> each = userClass; each != null && each != Object.class; each = each.getSuperclass()) {
            all.add(each);
        }
        return all.stream()
                .filter(each -> !ClassUtils.isLambdaClass(each) && mayBeIn(each))
                .anyMatch(LimitAnnotations::areInFileOf);
    }

    private static boolean areInFileOf(Class<?> type) {
        try {
            AnnotationMetadata metadata = new SimpleMetadataReaderFactory(type.getClassLoader())
                    .getMetadataReader(type.getName())
                    .getAnnotationMetadata();
            return NAMES.stream()
                    .anyMatch(name -> metadata.getAnnotations().isPresent(name) || metadata.hasAnnotatedMethods(name));
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Whether annotations on the type apply to a method: to each public one that a proxy can limit. On a controller only to
     * handler methods: the framework calls several others for one request.
     */
    public static boolean coverMethod(Method method, Class<?> userClass) {
        int modifiers = method.getModifiers();
        // The author of a class cannot change an inherited final method. A final one of the class itself is reported.
        boolean inheritedFinal = Modifier.isFinal(modifiers) && method.getDeclaringClass() != userClass;
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && !inheritedFinal
                && !ReflectionUtils.isObjectMethod(method)
                && (!Handlers.areIn(userClass) || Handlers.contain(method));
    }

    /**
     * The annotations of the method, or if it has none of this kind, of the bean's class, in the order declared. A method
     * that overrides another replaces its limits and does not add to them; see {@link #addReplaced}.
     *
     * @throws InvalidLimitException if two types declare such limits, and neither overrides the other
     */
    public static <A extends Annotation> List<MergedAnnotation<A>> of(
            Class<A> kind, Method method, Class<?> userClass) {
        List<DeclaredAnnotations<A>> closest =
                DeclaredAnnotations.closest(DeclaredAnnotations.ofMethod(kind, method, userClass));
        if (closest.isEmpty()) {
            closest = DeclaredAnnotations.closest(ofType(kind, method, userClass));
        }
        if (closest.size() > 1) {
            throw new InvalidLimitException(
                    "@" + kind.getSimpleName() + " for " + MethodName.of(userClass, method),
                    "it is declared on " + closest.get(0) + " and otherwise on " + closest.get(1)
                            + ", and neither overrides the other: put the annotations that should apply on the method of "
                            + userClass.getName() + " itself");
        }
        return closest.isEmpty() ? List.of() : closest.get(0).annotations();
    }

    /**
     * Finds the annotations in other classes that do not apply to a method, because closer ones of the kind replace them.
     *
     * @param replaced a text for each is added
     */
    public static void addReplaced(Method method, Class<?> userClass, Set<String> replaced) {
        for (Class<? extends Annotation> kind : KINDS) {
            addReplaced(kind, method, userClass, replaced);
        }
    }

    private static <A extends Annotation> void addReplaced(
            Class<A> kind, Method method, Class<?> userClass, Set<String> replaced) {
        List<DeclaredAnnotations<A>> all = new ArrayList<>(DeclaredAnnotations.ofMethod(kind, method, userClass));
        List<DeclaredAnnotations<A>> closest = DeclaredAnnotations.closest(all);
        all.addAll(ofType(kind, method, userClass));
        if (all.isEmpty()) {
            return;
        }
        DeclaredAnnotations<A> applied = (closest.isEmpty() ? DeclaredAnnotations.closest(all) : closest).get(0);
        for (DeclaredAnnotations<A> each : all) {
            if (each.type() != applied.type() && !each.declaresSameAs(applied)) {
                replaced.add("@" + kind.getSimpleName() + " on " + each + " is replaced by that on " + applied);
            }
        }
    }

    private static <A extends Annotation> List<DeclaredAnnotations<A>> ofType(
            Class<A> kind, Method method, Class<?> userClass) {
        return coverMethod(method, userClass) ? DeclaredAnnotations.on(userClass, kind) : List.of();
    }
}
