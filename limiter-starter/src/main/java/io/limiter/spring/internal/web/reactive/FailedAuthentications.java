package io.limiter.spring.internal.web.reactive;

import java.lang.reflect.Modifier;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.AuthenticationException;
import reactor.core.publisher.Mono;

/**
 * Notices authentications that fail in an exchange, for rules that charge them. WebFlux has no events of them, so each
 * {@link ReactiveAuthenticationManager} is wrapped: beans, and the one that Spring Security makes of the users, which passes a bean
 * that post-processes it.
 */
public final class FailedAuthentications implements BeanPostProcessor {

    private static final String POST_PROCESSOR = "reactiveAuthenticationManagerPostProcessor";

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ReactiveAuthenticationManager) {
            return noticing(bean);
        }
        // It may have no such manager to process, and then nothing happens.
        return name.equals(POST_PROCESSOR)
                ? proxy(bean, call -> {
                    Object result = call.proceed();
                    return result instanceof ReactiveAuthenticationManager ? noticing(result) : result;
                })
                : bean;
    }

    private static Object noticing(Object manager) {
        return proxy(manager, call -> {
            Object result = call.proceed();
            return result instanceof Mono<?> authentication
                    ? Mono.deferContextual(context -> authentication.doOnError(
                            AuthenticationException.class, e -> ExchangeRecords.authenticationFailed(context)))
                    : result;
        });
    }

    /** Of the same class where that can be, because others may inject it by its class. */
    private static Object proxy(Object target, MethodInterceptor interceptor) {
        ProxyFactory factory = new ProxyFactory(target);
        Class<?> type = target.getClass();
        factory.setProxyTargetClass(!Modifier.isFinal(type.getModifiers())
                && !Modifier.isPrivate(type.getModifiers())
                && !type.isHidden()
                && !type.isAnonymousClass());
        factory.addAdvice(interceptor);
        return factory.getProxy(type.getClassLoader());
    }
}
