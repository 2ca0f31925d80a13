package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.client.BuilderCustomizer;
import io.limiter.spring.client.ClientLimitFilter;
import io.limiter.spring.client.ClientLimitInterceptor;
import io.limiter.spring.client.ClientLimits;
import java.util.List;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.client.WebClient;

/** Limits of outgoing calls. If limits are disabled, the factory grants everything. */
@AutoConfiguration(after = {LimiterAutoConfiguration.class, LimiterOffAutoConfiguration.class})
@ConditionalOnBean(LimiterFactory.class)
@Import(PropertyNames.class)
public class LimiterClientAutoConfiguration {

    @Bean
    ClientLimits limiterClientLimits(
            LimiterFactory factory, ObjectProvider<LiveLimits> limits, PropertyNames names, Environment environment) {
        LiveLimits live = limits.getIfAvailable();
        return new ClientLimits(
                factory,
                name -> live == null ? () -> LiveSettings.NONE : live.settingsOf(name),
                names.clients(environment));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestInterceptor.class)
    @Import(CustomizerRegistrar.class)
    static class OfRequests {

        @Bean
        ClientLimitInterceptor limiterClientInterceptor(ClientLimits limits) {
            return new ClientLimitInterceptor(limits);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient.class)
    static class OfExchanges {

        @Bean
        ClientLimitFilter limiterClientFilter(ClientLimits limits) {
            return new ClientLimitFilter(limits);
        }
    }

    /** Registers Spring Boot's customizers if a client has hosts. Without, no request passes an interceptor, which buffers its body. */
    static final class CustomizerRegistrar implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        CustomizerRegistrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            boolean byHost = new PropertyNames()
                    .clients(environment).values().stream()
                            .anyMatch(client -> !client.hosts().isEmpty());
            ClassLoader loader = getClass().getClassLoader();
            for (String type : byHost ? BuilderCustomizer.TYPES : List.<String>of()) {
                if (ClassUtils.isPresent(type, loader)) {
                    Class<?> customizer = ClassUtils.resolveClassName(type, loader);
                    BeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(BuilderCustomizer.class)
                            .addConstructorArgValue(customizer)
                            .getBeanDefinition();
                    definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, customizer);
                    registry.registerBeanDefinition("limiter" + customizer.getSimpleName(), definition);
                }
            }
        }
    }
}
