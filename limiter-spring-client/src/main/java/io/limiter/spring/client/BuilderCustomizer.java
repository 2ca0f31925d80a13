package io.limiter.spring.client;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Creates a customizer of Spring Boot that limits the calls of the clients that Spring Boot builds. Its interface has another name on
 * each line of Spring Boot, and one method, which has the builder as its argument.
 */
final class BuilderCustomizer implements FactoryBean<Object>, BeanFactoryAware {

    /** Of Spring Boot 3 and 4, for clients with interceptors. */
    static final List<String> OF_REQUESTS = List.of(
            "org.springframework.boot.web.client.RestClientCustomizer",
            "org.springframework.boot.web.client.RestTemplateCustomizer",
            "org.springframework.boot.restclient.RestClientCustomizer",
            "org.springframework.boot.restclient.RestTemplateCustomizer");

    /** For a {@code WebClient}. */
    static final List<String> OF_EXCHANGES = List.of(
            "org.springframework.boot.web.reactive.function.client.WebClientCustomizer",
            "org.springframework.boot.webclient.WebClientCustomizer");

    private final Class<?> type;
    private @Nullable BeanFactory beans;

    /** @param type one of {@link #OF_REQUESTS} or {@link #OF_EXCHANGES} */
    BuilderCustomizer(Class<?> type) {
        this.type = type;
    }

    @Override
    public void setBeanFactory(BeanFactory newBeans) {
        beans = newBeans;
    }

    @Override
    public Class<?> getObjectType() {
        return type;
    }

    @Override
    public Object getObject() {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "the limits of outgoing calls";
                };
            }
            customize(arguments[0], Objects.requireNonNull(beans));
            return null;
        });
    }

    /** Looks its beans up now, because builders may be created before them. An interceptor buffers the bodies of requests. */
    private static void customize(Object builder, BeanFactory beans) {
        if (!beans.getBean(ClientLimits.class).hasHosts()) {
            return;
        }
        if (builder instanceof RestTemplate template) {
            template.getInterceptors().add(beans.getBean(ClientLimitInterceptor.class));
        } else if (builder instanceof RestClient.Builder clients) {
            clients.requestInterceptor(beans.getBean(ClientLimitInterceptor.class));
        } else {
            OfWebClient.customize(builder, beans);
        }
    }

    /** What needs WebFlux. */
    private static final class OfWebClient {

        static void customize(Object builder, BeanFactory beans) {
            ((WebClient.Builder) builder).filter(beans.getBean(ClientLimitFilter.class));
        }
    }
}
