package io.limiter.spring.internal.aop;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.aop.annotated.LimitAnnotations;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What a native image keeps of limited beans: the types that expressions read. */
final class LimitedMethodsAot implements BeanRegistrationAotProcessor {

    private static final List<Class<? extends Annotation>> KINDS =
            List.of(RateLimit.class, CountLimit.class, ConcurrentLimit.class);

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        if (!LimitAnnotations.mayBeIn(type)) {
            return null;
        }
        Set<Method> limited = MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter)
                method -> !annotations(method, type).isEmpty());
        return limited.isEmpty()
                ? null
                : (context, code) -> limited.forEach(
                        method -> register(context.getRuntimeHints().reflection(), method, type));
    }

    private static List<MergedAnnotation<?>> annotations(Method method, Class<?> type) {
        List<MergedAnnotation<?>> found = new ArrayList<>();
        KINDS.forEach(kind -> found.addAll(LimitAnnotations.of(kind, method, type)));
        return found;
    }

    private static void register(ReflectionHints hints, Method method, Class<?> type) {
        for (MergedAnnotation<?> annotation : annotations(method, type)) {
            if (annotation.asMap().values().stream()
                    .anyMatch(value -> (value instanceof Object[] texts ? Arrays.toString(texts) : value.toString())
                            .contains("#{"))) {
                List<Type> read = new ArrayList<>(Arrays.asList(method.getGenericParameterTypes()));
                read.add(method.getGenericReturnType());
                new BindingReflectionHintsRegistrar().registerReflectionHints(hints, read.toArray(Type[]::new));
            }
        }
    }
}
