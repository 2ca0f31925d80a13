package io.limiter.spring.internal.web.reactive;

import java.lang.reflect.Modifier;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
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
            Object[] arguments = call.getArguments();
            return result instanceof Mono<?> authentication
                            && call.getMethod().getName().equals("authenticate")
                            && arguments.length == 1
                            && arguments[0] instanceof Authentication login
                    ? noticed(authentication, String.valueOf(login.getName()))
                    : result;
        });
    }

    /** Successes are noticed too, because another manager may have rejected the same login before. */
    private static <T> Mono<T> noticed(Mono<T> authentication, String login) {
        return Mono.deferContextual(context -> authentication
                .doOnNext(user ->
                        ExchangeRecords.in(context).ifPresent(record -> record.authenticationSucceeded(login)))
                .doOnError(
                        AuthenticationException.class,
                        e -> ExchangeRecords.in(context).ifPresent(record -> record.authenticationFailed(login))));
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
