package io.limiter.spring.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.MethodName;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
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
final class LimitAnnotations {

    private final List<Class<? extends Annotation>> types;

    LimitAnnotations(List<Class<? extends Annotation>> types) {
        this.types = types;
    }

    /** Whether there is any use in looking at the methods of a class. */
    boolean mayBeIn(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, types);
    }

    /** Whether they are on a method, or on one that it overrides or implements. */
    boolean areOn(Method method, Class<?> userClass) {
        return areOn(method)
                || DeclaredAnnotations.implemented(method, userClass).stream().anyMatch(this::areOn);
    }

    boolean areOn(AnnotatedElement element) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return types.stream().anyMatch(annotations::isPresent);
    }

    /**
     * Whether a class has such annotations on it or on one of its methods, by the files of the class and of all that it is.
     * For classes whose methods cannot be loaded. One whose file is not there may have some, unless it is a lambda's.
     */
    boolean areInFilesOf(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Set<Class<?>> all = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(userClass));
        for (Class<?> each = userClass; each != null && each != Object.class; each = each.getSuperclass()) {
            all.add(each);
        }
        return all.stream()
                .filter(each -> !ClassUtils.isLambdaClass(each) && mayBeIn(each))
                .anyMatch(this::areInFileOf);
    }

    private boolean areInFileOf(Class<?> type) {
        try {
            AnnotationMetadata metadata = new SimpleMetadataReaderFactory(type.getClassLoader())
                    .getMetadataReader(type.getName())
                    .getAnnotationMetadata();
            return names().anyMatch(
                            name -> metadata.getAnnotations().isPresent(name) || metadata.hasAnnotatedMethods(name));
        } catch (IOException e) {
            return true;
        }
    }

    /** Also of those that hold several, which files do not know to be repeated. */
    private Stream<String> names() {
        return types.stream()
                .flatMap(type -> Stream.of(
                        Optional.of(type),
                        Optional.ofNullable(type.getAnnotation(Repeatable.class))
                                .map(Repeatable::value)))
                .flatMap(Optional::stream)
                .map(Class::getName);
    }

    /**
     * Whether annotations on the type apply to a method: all that others can call, and that a proxy can limit. Of a
     * controller these are its handler methods: the others are called by the framework, several for one request.
     */
    static boolean coverMethod(Method method, Class<?> userClass) {
        int modifiers = method.getModifiers();
        // A final method that is inherited is not the author's to change; one of the type itself is, and is reported.
        boolean inheritedFinal = Modifier.isFinal(modifiers) && method.getDeclaringClass() != userClass;
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && !inheritedFinal
                && !ReflectionUtils.isObjectMethod(method)
                && (!Handlers.areIn(userClass) || Handlers.contain(method));
    }

    /**
     * Those of the method, or if it has none of this kind, those of the bean's class, in the order declared. A method that
     * overrides another replaces its limits, it does not add to them; see {@link #addReplaced}.
     *
     * @throws InvalidLimitException if two others declare such limits, neither of which overrides the other
     */
    static <A extends Annotation> List<MergedAnnotation<A>> of(Class<A> kind, Method method, Class<?> userClass) {
        List<DeclaredAnnotations<A>> closest =
                DeclaredAnnotations.closest(DeclaredAnnotations.ofMethod(kind, method, userClass));
        if (closest.isEmpty()) {
            closest = DeclaredAnnotations.closest(ofType(kind, method, userClass));
        }
        if (closest.size() > 1) {
            throw new InvalidLimitException(
                    "@" + kind.getSimpleName() + " for " + MethodName.of(userClass, method),
                    "it is declared on " + closest.get(0) + " and otherwise on " + closest.get(1)
                            + ", and neither overrides the other: put what is to apply on the method of "
                            + userClass.getName() + " itself");
        }
        return closest.isEmpty() ? List.of() : closest.get(0).annotations();
    }

    /**
     * Finds what does not apply to a method because other limits of the kind stand closer to it, in another class where it is
     * easily overlooked.
     *
     * @param replaced where it is added, as texts
     */
    void addReplaced(Method method, Class<?> userClass, Set<String> replaced) {
        for (Class<? extends Annotation> kind : types) {
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
            if (each.type() != applied.type() && !each.saysAs(applied)) {
                replaced.add("@" + kind.getSimpleName() + " on " + each + " is replaced by that on " + applied);
            }
        }
    }

    private static <A extends Annotation> List<DeclaredAnnotations<A>> ofType(
            Class<A> kind, Method method, Class<?> userClass) {
        return coverMethod(method, userClass) ? DeclaredAnnotations.ofType(kind, userClass) : List.of();
    }
}
