package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.check.MessageCode;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.key.LazyLookup;
import io.limiter.spring.internal.metrics.CallCounts;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.web.RejectionResponseCustomizer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DelegatingMessageSource;
import org.springframework.core.env.Environment;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.util.pattern.PathPattern;

/** Responses to rejected requests, and limits on requests. */
@AutoConfiguration(
        after = LimiterAutoConfiguration.class,
        // By name: Spring Boot 4 has moved it. Of two exception handlers of one order, the one created first comes
        // first.
        beforeName = {
            "org.springframework.boot.autoconfigure.web.reactive.error.ErrorWebFluxAutoConfiguration",
            "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration"
        })
@ConditionalOnEnabledLimiter
@ConditionalOnWebApplication
@ConditionalOnClass(PathPattern.class)
@ConditionalOnBean({LimiterFactory.class, ClientAddress.class})
@EnableConfigurationProperties(LimiterProperties.class)
@Import({PropertyNames.class, ServletWebConfiguration.class, ReactiveWebConfiguration.class})
public class LimiterWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RejectionResponses limiterRejectionResponses(
            LimiterProperties properties,
            ApplicationContext context,
            ObjectProvider<RejectionResponseCustomizer> customizer) {
        MessageSource messages = messages(context);
        RejectionResponses.Settings answers = properties.web().answers();
        String problem = MessageCode.problem(answers.message(), messages);
        if (problem != null) {
            throw new InvalidSettingException("limiter.web.message", " " + problem);
        }
        return new RejectionResponses(answers, messages, customizer.getIfAvailable(() -> RejectionResponses.UNCHANGED));
    }

    @Bean
    ConfiguredRules limiterHttpRules(
            PropertyNames names,
            LimiterProperties properties,
            Environment environment,
            LimiterFactory factory,
            ObjectProvider<LiveLimits> live,
            ObjectProvider<PlanResolver> resolver,
            ObjectProvider<AnnotationLimitAdvisor> advisor,
            ApplicationContext beans) {
        // Filters are created before most beans, so only its name is read, and the first request that needs it looks it
        // up.
        boolean resolves = beans.getBeanNamesForType(PlanResolver.class, true, false).length > 0;
        Supplier<PlanResolver> plans = new LazyLookup<>(resolver::getObject);
        return new ConfiguredRules(
                names.rules(environment),
                environment,
                new HttpRuleSettings.Application(
                        beans.getBeanNamesForType(RouteRules.Filter.class, true, false).length > 0,
                        HealthPaths.of(environment),
                        factory,
                        live.getIfAvailable(() -> LiveLimits.NONE)::settingsOf,
                        resolves ? request -> plans.get().planOf(request) : null,
                        CallerConfigurations.addresses(properties.key()),
                        beans.containsBean(WebHttpHandlerBuilder.FORWARDED_HEADER_TRANSFORMER_BEAN_NAME)
                                || serverReplacesAddresses(environment),
                        Optional.ofNullable(advisor.getIfUnique())
                                .map(AnnotationLimitAdvisor::callCounts)
                                .orElseGet(CallCounts::new),
                        messages(beans)));
    }

    /** Whether the server itself replaces the address of a caller, and removes the header, as by default on a cloud platform. */
    private static boolean serverReplacesAddresses(Environment environment) {
        String strategy = environment.getProperty("server.forward-headers-strategy");
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return "native".equalsIgnoreCase(strategy)
                || strategy == null && platform != null && platform.isUsingForwardHeaders()
                || environment.containsProperty("server.tomcat.remoteip.remote-ip-header")
                || environment.containsProperty("server.tomcat.remoteip.protocol-header");
    }

    /** The application fails to start if a resolver cannot be found. */
    @Bean
    SmartInitializingSingleton limiterPlanResolverCheck(
            ListableBeanFactory beans, ObjectProvider<PlanResolver> resolver) {
        return () -> {
            if (beans.getBeanNamesForType(PlanResolver.class, true, false).length > 0) {
                resolver.getObject();
            }
        };
    }

    /** {@code null} if the application's message source is empty. */
    private static @Nullable MessageSource messages(ApplicationContext context) {
        MessageSource messages =
                context.getBean(AbstractApplicationContext.MESSAGE_SOURCE_BEAN_NAME, MessageSource.class);
        boolean empty =
                messages instanceof DelegatingMessageSource delegating && delegating.getParentMessageSource() == null;
        return empty ? null : messages;
    }
}
