package io.limiter.spring.client;

import java.lang.reflect.Proxy;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * Creates a customizer of Spring Boot that limits the calls of the clients that Spring Boot builds. Its interface has another name on
 * each line of Spring Boot, and one method, which has the builder as its argument.
 */
final class BuilderCustomizer implements FactoryBean<Object> {

    private static final String REST_CLIENT = "org.springframework.web.client.RestClient$Builder";
    static final String REST_TEMPLATE = "org.springframework.web.client.RestTemplate";
    private static final String WEB_CLIENT = "org.springframework.web.reactive.function.client.WebClient$Builder";

    /** Customizers of Spring Boot 3 and 4, and what they customize. */
    static final Map<String, String> TYPES = Map.of(
            "org.springframework.boot.web.client.RestClientCustomizer", REST_CLIENT,
            "org.springframework.boot.restclient.RestClientCustomizer", REST_CLIENT,
            "org.springframework.boot.web.client.RestTemplateCustomizer", REST_TEMPLATE,
            "org.springframework.boot.restclient.RestTemplateCustomizer", REST_TEMPLATE,
            "org.springframework.boot.web.reactive.function.client.WebClientCustomizer", WEB_CLIENT,
            "org.springframework.boot.webclient.WebClientCustomizer", WEB_CLIENT);

    private final Class<?> type;
    private final BeanFactory beans;

    /** @param type one of {@link #TYPES} */
    BuilderCustomizer(Class<?> type, BeanFactory beans) {
        this.type = type;
        this.beans = beans;
    }

    @Override
    public Class<?> getObjectType() {
        return type;
    }

    @Override
    public Object getObject() {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return AopUtils.invokeJoinpointUsingReflection(this, method, arguments);
            }
            customize(arguments[0]);
            return null;
        });
    }

    /**
     * Looks its beans up now, because builders may be created before them. Clients that can have no limit get no interceptor, because
     * the bodies of requests are buffered for one.
     */
    private void customize(Object builder) {
        if (!(builder instanceof RestTemplate) && !(builder instanceof RestClient.Builder)) {
            beans.getBean(ClientLimitFilter.BEAN, ClientLimitFilter.class).addTo(builder);
        } else if (beans.getBean(ClientRules.class).hasHosts()) {
            ClientLimitInterceptor limits = beans.getBean(ClientLimitInterceptor.BEAN, ClientLimitInterceptor.class);
            if (builder instanceof RestTemplate template) {
                limits.addTo(template.getInterceptors());
            } else {
                ((RestClient.Builder) builder).requestInterceptors(limits::addTo);
            }
        }
    }
}
