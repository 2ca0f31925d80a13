package io.limiter.spring.internal.key;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;

/** The default name of a method's limits. It has the parameter types, so that overloads have limits of their own. */
public final class MethodName {

    private MethodName() {}

    /**
     * Such as {@code com.acme.Sms.send(java.lang.String)}, the same in every JVM.
     *
     * @param beanClass may be the class of a proxy
     */
    public static String of(Class<?> beanClass, Method method) {
        // The class of a JDK proxy or a lambda has another name in each JVM.
        boolean hasStableName = !Proxy.isProxyClass(beanClass) && !beanClass.isHidden();
        Class<?> named = hasStableName ? ClassUtils.getUserClass(beanClass) : method.getDeclaringClass();
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(","));
        return named.getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
