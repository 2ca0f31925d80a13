package io.limiter.spring.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Has builders that are beans build clients in another way, because what an application adds to them comes after customizers. */
final class LimitedBuilders<B> implements BeanPostProcessor {

    private final Class<B> type;
    private final Function<B, Object> build;

    LimitedBuilders(Class<B> type, Function<B, Object> build) {
        this.type = type;
        this.build = build;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return type.isInstance(bean) ? limited(type.cast(bean)) : bean;
    }

    private B limited(B builder) {
        InvocationHandler calls = (proxy, method, arguments) -> {
            if (method.getName().equals("build")) {
                return build.apply(builder);
            }
            Object result = AopUtils.invokeJoinpointUsingReflection(builder, method, arguments);
            return result == builder ? proxy : type.isInstance(result) ? limited(type.cast(result)) : result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }
}
