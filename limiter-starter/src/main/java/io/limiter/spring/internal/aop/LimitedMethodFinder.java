package io.limiter.spring.internal.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.internal.aop.annotated.Handlers;
import io.limiter.spring.internal.aop.annotated.LimitAnnotations;
import io.limiter.spring.internal.key.MethodName;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Finds the limited methods of a bean's class. */
final class LimitedMethodFinder {

    private static final Logger log = LoggerFactory.getLogger(LimitedMethodFinder.class);

    private static final String BEAN = "org.springframework.context.annotation.Bean";

    private final RuleParser parser;
    private final ApplicationBeans beans;

    LimitedMethodFinder(RuleParser parser, ApplicationBeans beans) {
        this.parser = parser;
        this.beans = beans;
    }

    /**
     * What is declared for each limited method.
     *
     * @throws InvalidLimitException if one of them cannot work
     */
    Map<Method, List<AnnotationRule>> find(Class<?> beanClass) {
        if (!LimitAnnotations.mayBeIn(beanClass)) {
            return Map.of();
        }
        Class<?> userClass = ClassUtils.getUserClass(beanClass);
        boolean onType = LimitAnnotations.areOn(userClass);
        Map<Method, List<AnnotationRule>> found = new LinkedHashMap<>();
        MethodFilter isLimited = method ->
                LimitAnnotations.areOn(method, userClass) || onType && LimitAnnotations.coverMethod(method, userClass);
        Set<String> replaced = new LinkedHashSet<>();
        for (Method method : methods(beanClass, isLimited)) {
            checkCanBeLimited(method, userClass);
            checkCanHaveProxy(method, beanClass);
            found.put(method, parser.parse(method, userClass));
            LimitAnnotations.addReplaced(method, userClass, replaced);
        }
        replaced.forEach(each -> log.info("{} for {}: the closest applies", each, userClass.getName()));
        if (onType && found.isEmpty()) {
            throw new InvalidLimitException(
                    "limit on " + userClass.getName(),
                    Handlers.areIn(userClass)
                            ? "it has no public handler methods, such as @GetMapping makes them, so the limit would do"
                                    + " nothing: put it on the methods that it is for"
                            : "it has no public methods, so the limit would do nothing");
        }
        return Map.copyOf(found);
    }

    private static Set<Method> methods(Class<?> beanClass, MethodFilter filter) {
        try {
            return MethodIntrospector.selectMethods(beanClass, filter);
        } catch (IllegalStateException | LinkageError e) {
            // Types of the class are missing. Without proxies such a bean works, so it fails only if it has limits.
            if (LimitAnnotations.areInFilesOf(beanClass)) {
                throw new InvalidLimitException(
                        "limit on " + ClassUtils.getUserClass(beanClass).getName(),
                        "its methods cannot be read, so nothing would be limited: " + e.getMessage() + ", caused by "
                                + NestedExceptionUtils.getMostSpecificCause(e)
                                + "; add the missing library to the class path, or move the methods that need it to another"
                                + " class",
                        e);
            }
            return Set.of();
        }
    }

    private void checkCanHaveProxy(Method method, Class<?> beanClass) {
        if (Modifier.isFinal(beanClass.getModifiers()) && beans.needsSubclass(beanClass)) {
            throw new InvalidLimitException(
                    "limit on " + MethodName.of(beanClass, method),
                    "the class is final, so it can have no subclass that limits calls: make it not final (in Kotlin open),"
                            + " or let it implement an interface and set spring.aop.proxy-target-class=false");
        }
    }

    private static void checkCanBeLimited(Method method, Class<?> userClass) {
        if (MergedAnnotations.from(method).isPresent(BEAN)) {
            throw new InvalidLimitException(
                    "limit on " + MethodName.of(userClass, method),
                    "the method makes a bean, and is called once: limit the methods of the bean's class instead");
        }
        int obstacles = method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL);
        if (obstacles != 0) {
            throw new InvalidLimitException(
                    "limit on " + MethodName.of(userClass, method),
                    "the method is " + Modifier.toString(obstacles) + ", so calls do not go through the bean's proxy"
                            + " and the limit would do nothing: change that, or limit a method that others call");
        }
    }
}
