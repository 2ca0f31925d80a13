package io.limiter.spring.client;

import feign.Capability;
import io.limiter.LimiterFactory;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.condition.SettingValue;
import io.limiter.spring.internal.settings.NamedSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.LongSupplier;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Limits of outgoing calls. If limits are disabled, the factory grants everything. */
@AutoConfiguration(
        afterName = {
            "io.limiter.spring.autoconfigure.LimiterAutoConfiguration",
            "io.limiter.spring.autoconfigure.LimiterOffAutoConfiguration"
        })
@ConditionalOnClass(HttpHeaders.class)
@ConditionalOnBean(LimiterFactory.class)
@Import({LimiterClientAutoConfiguration.Names.class, LimiterClientAutoConfiguration.Customizers.class})
public class LimiterClientAutoConfiguration {

    @Bean
    ClientRules limiterClientRules(
            LimiterFactory factory,
            ObjectProvider<LiveLimits> limits,
            NamedSettings settings,
            Environment environment,
            ClientPauses pauses) {
        return new ClientRules(
                factory,
                limits.getIfAvailable(() -> LiveLimits.NONE)::settingsOf,
                settings.read(ClientRules.PROPERTY, ClientSettings.class, environment),
                pauses);
    }

    @Bean(ClientLimitInterceptor.BEAN)
    ClientLimitInterceptor limiterClientInterceptor(ClientRules rules) {
        return new ClientLimitInterceptor(rules, rules::find);
    }

    @Bean
    static LimitedBuilders<RestClient.Builder> limiterRestClientBuilders() {
        return new LimitedBuilders<>(RestClient.Builder.class, ClientLimitInterceptor::build);
    }

    @Bean
    ClientPauses limiterClientPauses(
            LimiterFactory factory,
            Environment environment,
            ObjectProvider<LiveLimits> limits,
            ApplicationEventPublisher events) {
        boolean enabled = SettingValue.isTrue(environment, "limiter.enabled", true);
        return new ClientPauses(enabled, limits.getIfAvailable(() -> LiveLimits.NONE), events, clockOf(factory));
    }

    /** That of the limiters, which a test may move. A factory of the application has none. */
    private static LongSupplier clockOf(LimiterFactory factory) {
        EngineLimiterFactory limiters = EngineLimiterFactory.of(factory);
        return limiters == null ? System::nanoTime : limiters.ticker()::read;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class OfMeters {

        private final ObjectProvider<MeterRegistry> registry;

        OfMeters(ObjectProvider<MeterRegistry> registry) {
            this.registry = registry;
        }

        @EventListener
        void count(ClientPausedEvent pause) {
            registry.ifUnique(meters -> meters.counter("limiter.client.pauses", "client", pause.client())
                    .increment());
        }
    }

    /** Brings the bean that reads settings, as the starter's own auto-configurations do: one of these may be excluded. */
    static final class Names implements ImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return new String[] {"io.limiter.spring.autoconfigure.PropertyNames"};
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient.class)
    static class OfExchanges {

        @Bean(ClientLimitFilter.BEAN)
        ClientLimitFilter limiterClientFilter(ClientRules rules) {
            return new ClientLimitFilter(rules, rules::find);
        }

        @Bean
        static LimitedBuilders<WebClient.Builder> limiterWebClientBuilders() {
            return new LimitedBuilders<>(
                    WebClient.Builder.class,
                    builder -> builder.clone()
                            .filters(ClientLimitFilter::limitRepeats)
                            .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Capability.class)
    static class OfFeign {

        @Bean
        ClientLimitCapability limiterClientCapability(ClientRules rules) {
            return new ClientLimitCapability(rules);
        }
    }

    /** Registers those of the customizers that this Spring Boot has. Spring Boot 3 has that of a WebClient even without one. */
    static final class Customizers implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            ClassLoader loader = getClass().getClassLoader();
            BuilderCustomizer.TYPES.forEach((type, builder) -> {
                if (ClassUtils.isPresent(type, loader) && ClassUtils.isPresent(builder, loader)) {
                    Class<?> customizer = ClassUtils.resolveClassName(type, loader);
                    BeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(BuilderCustomizer.class)
                            .addConstructorArgValue(customizer)
                            .setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR)
                            .getBeanDefinition();
                    definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, customizer);
                    registry.registerBeanDefinition("limiter" + customizer.getSimpleName(), definition);
                }
            });
        }
    }
}
