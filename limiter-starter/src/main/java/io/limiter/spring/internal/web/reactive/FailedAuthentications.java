package io.limiter.spring.internal.web.reactive;

import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import reactor.core.publisher.Mono;

/**
 * Notices authentications that fail in an exchange, for rules that charge them. WebFlux has no events of them, so each
 * {@link ReactiveAuthenticationManager} is wrapped: beans, and the one that Spring Security makes of the users, which passes a bean
 * that post-processes it. A bean that is declared by a class that cannot be extended, such as a record, is left as it is.
 */
public final class FailedAuthentications implements BeanPostProcessor {

    private static final Logger log = LoggerFactory.getLogger(FailedAuthentications.class);

    private static final String POST_PROCESSOR = "reactiveAuthenticationManagerPostProcessor";

    private final ConfigurableListableBeanFactory beans;

    /** The names of the beans that are not wrapped, each of which is logged once. */
    private final Set<String> unwrapped = ConcurrentHashMap.newKeySet();

    public FailedAuthentications(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ReactiveAuthenticationManager) {
            if (isExtensible(bean.getClass()) || !isDeclaredByItsClass(bean, name)) {
                return noticing(bean);
            }
            if (unwrapped.add(name)) {
                log.info(
                        "If an authentication of the bean '{}' fails, rules with charge-on see the status of the response, which is"
                                + " a redirect after a form login, and not 401: the bean is not wrapped, because its {} cannot be"
                                + " extended, and other beans may inject it by that class. To change that, let the @Bean method"
                                + " of the bean return ReactiveAuthenticationManager",
                        name,
                        bean.getClass());
            }
            return bean;
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
                .doOnNext(
                        user -> ExchangeRecords.in(context).ifPresent(record -> record.authenticationSucceeded(login)))
                .doOnError(
                        AuthenticationException.class,
                        e -> ExchangeRecords.in(context).ifPresent(record -> record.authenticationFailed(login))));
    }

    /** Whether others may inject the bean by its class, which a proxy of its interfaces would prevent. */
    private boolean isDeclaredByItsClass(Object bean, String name) {
        if (!beans.containsBeanDefinition(name)) {
            return false;
        }
        // Not the type of the bean as Spring knows it, because that is its class as soon as the bean has been created.
        Class<?> declared =
                beans.getMergedBeanDefinition(name).getResolvableType().resolve(Object.class);
        return !declared.isInterface() && declared.isInstance(bean);
    }

    /** Of the same class where that can be, because others may inject it by its class. */
    private static Object proxy(Object target, MethodInterceptor interceptor) {
        ProxyFactory factory = new ProxyFactory(target);
        Class<?> type = target.getClass();
        factory.setProxyTargetClass(isExtensible(type));
        factory.addAdvice(interceptor);
        return factory.getProxy(type.getClassLoader());
    }

    private static boolean isExtensible(Class<?> type) {
        return !Modifier.isFinal(type.getModifiers())
                && !Modifier.isPrivate(type.getModifiers())
                && !type.isHidden()
                && !type.isAnonymousClass();
    }
}
