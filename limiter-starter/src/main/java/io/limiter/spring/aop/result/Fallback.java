package io.limiter.spring.aop.result;

import io.limiter.algorithm.Decision;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method of a bean that answers the rejected calls of another one. */
public record Fallback(Method method, boolean takesDecision) {

    /**
     * The fallback of a limited method.
     *
     * @throws IllegalArgumentException if there is no such method, more than one, or one that returns something else
     */
    public static Fallback find(String name, Method limited, Class<?> userClass) {
        List<Method> found = named(name, limited, userClass).stream()
                .filter(method -> fits(method, limited, userClass))
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException("fallback '" + name + "' was not found: " + userClass.getName()
                    + " needs a method " + wanted(name, limited, userClass) + " or, with one more parameter of type "
                    + Decision.class.getName() + " at the end, another of this name");
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException("fallback '" + name + "' is ambiguous: " + found.get(0) + " and "
                    + found.get(1) + " both fit; rename one of them");
        }
        Method method = found.get(0);
        Class<?> returned = returned(limited, userClass);
        Class<?> instead = returned(method, userClass);
        if (!ClassUtils.isAssignable(returned, instead)) {
            throw new IllegalArgumentException("fallback '" + name + "' returns " + instead.getTypeName()
                    + ", and must return " + returned.getTypeName());
        }
        makeAccessible(method);
        return new Fallback(method, method.getParameterCount() > limited.getParameterCount());
    }

    /** The methods of that name, also private and inherited ones, but for those that are overridden. */
    private static List<Method> named(String name, Method limited, Class<?> userClass) {
        return List.of(ReflectionUtils.getUniqueDeclaredMethods(userClass, method -> {
            boolean itself = name.equals(limited.getName())
                    && Arrays.equals(method.getParameterTypes(), limited.getParameterTypes());
            return method.getName().equals(name) && !method.isSynthetic() && !itself;
        }));
    }

    private static boolean fits(Method method, Method limited, Class<?> userClass) {
        if (ResultKind.suspends(method) != ResultKind.suspends(limited)) {
            return false;
        }
        Class<?>[] types = method.getParameterTypes();
        int shared = arguments(limited);
        int found = arguments(method);
        boolean withDecision = found == shared + 1 && types[shared] == Decision.class;
        if (found != shared && !withDecision) {
            return false;
        }
        for (int i = 0; i < shared; i++) {
            // A type variable of a generic superclass can be spelled out.
            if (types[i] != limited.getParameterTypes()[i] && types[i] != parameterType(limited, i, userClass)) {
                return false;
            }
        }
        return true;
    }

    private static Class<?> returned(Method method, Class<?> userClass) {
        return ResultKind.suspends(method)
                ? ResultKind.returned(method).resolve(Object.class)
                : GenericTypeResolver.resolveReturnType(method, userClass);
    }

    /** How many arguments a method has, without that for the result of a suspend function. */
    private static int arguments(Method method) {
        return method.getParameterCount() - (ResultKind.suspends(method) ? 1 : 0);
    }

    private static Class<?> parameterType(Method limited, int index, Class<?> userClass) {
        return GenericTypeResolver.resolveParameterType(new MethodParameter(limited, index), userClass);
    }

    private static String wanted(String name, Method limited, Class<?> userClass) {
        String parameters = Arrays.stream(limited.getParameterTypes())
                .limit(arguments(limited))
                .map(Class::getTypeName)
                .collect(Collectors.joining(", ", "(", ")"));
        return ResultKind.suspends(limited)
                ? "suspend fun " + name + parameters
                : GenericTypeResolver.resolveReturnType(limited, userClass).getTypeName() + " " + name + parameters;
    }

    private static void makeAccessible(Method method) {
        try {
            ReflectionUtils.makeAccessible(method);
        } catch (InaccessibleObjectException | SecurityException e) {
            throw new IllegalArgumentException(
                    "fallback '" + method.getName() + "' cannot be called, make it public: " + e.getMessage(), e);
        }
    }

    /**
     * Answers a rejected call on the bean itself.
     *
     * @throws Throwable what the method throws
     */
    public @Nullable Object answer(MethodInvocation call, Decision decision) throws Throwable {
        @Nullable Object[] arguments = call.getArguments();
        if (takesDecision) {
            // Behind the arguments, and before that for the result of a suspend function.
            int shared = arguments(call.getMethod());
            @Nullable Object[] longer = Arrays.copyOf(arguments, arguments.length + 1);
            System.arraycopy(arguments, shared, longer, shared + 1, arguments.length - shared);
            longer[shared] = decision;
            arguments = longer;
        }
        return AopUtils.invokeJoinpointUsingReflection(bean(call.getThis()), method, arguments);
    }

    /** The innermost object that has the method: a proxy has the bean's fields, but nothing in them. */
    private @Nullable Object bean(@Nullable Object target) throws Exception {
        Object bean = target;
        Object inner = target;
        while (inner instanceof Advised proxy) {
            inner = proxy.getTargetSource().getTarget();
            bean = method.getDeclaringClass().isInstance(inner) ? inner : bean;
        }
        return bean;
    }
}
