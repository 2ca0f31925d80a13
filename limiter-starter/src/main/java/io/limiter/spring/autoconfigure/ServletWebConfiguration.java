package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.aop.result.CallerRequest;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.key.CurrentKeyRequest;
import io.limiter.spring.internal.key.LazyLookup;
import io.limiter.spring.internal.web.CatchAllHandlers;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.internal.web.servlet.CatchAllExceptionResolver;
import io.limiter.spring.internal.web.servlet.CurrentRequest;
import io.limiter.spring.internal.web.servlet.LimitAnswerFilter;
import io.limiter.spring.internal.web.servlet.RejectionExceptionResolver;
import io.limiter.spring.internal.web.servlet.RuleFilter;
import io.limiter.spring.internal.web.servlet.ServletChecks;
import io.limiter.spring.internal.web.servlet.ServletRejectionResponses;
import io.limiter.spring.internal.web.servlet.ServletRuleLimits;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.RuleLimits;
import io.limiter.spring.web.servlet.RateLimitExceptionResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.support.RequestContextUtils;

/** Responses and limits of a servlet application, with or without Spring MVC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HttpServletRequest.class, FilterRegistrationBean.class})
class ServletWebConfiguration {

    /** Before filters that may call limited methods. */
    private static final int ANSWER_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    /** What needs Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class Mvc {

        /** Spring MVC exposes the bean only in requests that it handles. */
        private static final String LOCALE_RESOLVER = DispatcherServlet.LOCALE_RESOLVER_BEAN_NAME;

        @Bean
        ServletRejectionResponses limiterServletRejectionResponses(
                RejectionResponses answers, @Qualifier(LOCALE_RESOLVER) ObjectProvider<LocaleResolver> resolver) {
            // Looked up at the first rejection, because filters are created before most beans.
            Supplier<@Nullable LocaleResolver> known = new LazyLookup<>(resolver::getIfAvailable);
            return new ServletRejectionResponses(answers, request -> {
                LocaleResolver ofRequest = RequestContextUtils.getLocaleResolver(request);
                LocaleResolver locales = ofRequest == null ? known.get() : ofRequest;
                return locales == null ? request.getLocale() : locales.resolveLocale(request);
            });
        }

        @Bean
        @ConditionalOnMissingBean
        RateLimitExceptionResolver limiterExceptionResolver(ServletRejectionResponses answers) {
            return new RejectionExceptionResolver(answers);
        }

        @Bean
        CatchAllExceptionResolver limiterCatchAllExceptionResolver(
                RateLimitExceptionResolver resolver, ApplicationContext context) {
            return new CatchAllExceptionResolver(
                    resolver, new CatchAllHandlers(context, CatchAllExceptionResolver.class));
        }
    }

    /** Where Spring Security is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(AbstractAuthenticationFailureEvent.class)
    static class OfSecurity {

        /** For rules that charge failures, because a form login answers them with a redirect. */
        @Bean
        ApplicationListener<AbstractAuthenticationFailureEvent> limiterFailedAuthentications() {
            return new FailedAuthentications();
        }
    }

    /** In the thread of the request, as Spring publishes events. */
    private static final class FailedAuthentications
            implements ApplicationListener<AbstractAuthenticationFailureEvent> {

        @Override
        public void onApplicationEvent(AbstractAuthenticationFailureEvent event) {
            CurrentRequest.authenticationFailed(
                    String.valueOf(event.getAuthentication().getName()));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    ServletRejectionResponses limiterServletRejectionResponses(RejectionResponses answers) {
        return new ServletRejectionResponses(answers, HttpServletRequest::getLocale);
    }

    @Bean
    @ConditionalOnMissingBean
    DecisionRecorder.Finder limiterDecisionRecorders(LimiterProperties properties) {
        HeaderSet headers = properties.web().headers();
        return () -> CurrentRequest.recorder(headers);
    }

    @Bean
    @ConditionalOnMissingBean
    CallerRequest limiterCallerRequests() {
        return CurrentRequest::capture;
    }

    @Bean
    @ConditionalOnMissingBean
    CurrentKeyRequest limiterCurrentKeyRequest(ClientAddress addresses, ObjectProvider<CurrentUser> users) {
        Supplier<@Nullable CurrentUser> known = new LazyLookup<>(users::getIfAvailable);
        return () -> CurrentRequest.facts(addresses, known.get());
    }

    @Bean
    FilterRegistrationBean<LimitAnswerFilter> limiterAnswerFilter(ServletRejectionResponses answers) {
        FilterRegistrationBean<LimitAnswerFilter> registration =
                new FilterRegistrationBean<>(new LimitAnswerFilter(answers));
        registration.setOrder(ANSWER_ORDER);
        registration.setDispatcherTypes(
                DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR, DispatcherType.FORWARD);
        return registration;
    }

    @Bean
    FilterRegistrationBean<RuleFilter> limiterHttpFilter(
            ConfiguredRules rules, ServletChecks checks, LimiterProperties properties) {
        return filter(checks, "limiterHttpFilter", properties.web().filterOrder(), rules.beforeSecurity());
    }

    @Bean
    FilterRegistrationBean<RuleFilter> limiterHttpUserFilter(
            ConfiguredRules rules, ServletChecks checks, LimiterProperties properties) {
        return filter(checks, "limiterHttpUserFilter", properties.web().userFilterOrder(), rules.behindSecurity());
    }

    private static FilterRegistrationBean<RuleFilter> filter(
            ServletChecks checks, String name, int order, HttpRules rules) {
        FilterRegistrationBean<RuleFilter> registration =
                new FilterRegistrationBean<>(new RuleFilter(checks, name, rules));
        registration.setName(name);
        registration.setOrder(order);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setEnabled(!rules.isEmpty());
        return registration;
    }

    @Bean
    @ConditionalOnMissingBean
    RuleLimits limiterRuleLimits(ConfiguredRules rules, ClientAddress addresses, ObjectProvider<CurrentUser> users) {
        return new ServletRuleLimits(rules::rule, addresses, new LazyLookup<>(users::getIfAvailable));
    }

    @Bean
    ServletChecks limiterServletChecks(
            ClientAddress addresses, ObjectProvider<CurrentUser> users, ServletRejectionResponses answers) {
        return new ServletChecks(addresses, users.getIfAvailable(), answers);
    }
}
