package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;

/** The default name of a method's limits: class, method and parameter types, so that overloads have limits apart. */
public final class MethodName {

    private MethodName() {}

    /**
     * Such as {@code com.acme.Sms.send(java.lang.String)}, the same in every JVM.
     *
     * @param beanClass the class of the bean, which may be a proxy's
     */
    public static String of(Class<?> beanClass, Method method) {
        // The class of a JDK proxy or a lambda is named otherwise in each JVM.
        boolean hasStableName = !Proxy.isProxyClass(beanClass) && !beanClass.isHidden();
        Class<?> named = hasStableName ? ClassUtils.getUserClass(beanClass) : method.getDeclaringClass();
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(","));
        return named.getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
