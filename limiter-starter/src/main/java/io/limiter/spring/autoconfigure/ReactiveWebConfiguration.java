package io.limiter.spring.autoconfigure;

import io.limiter.spring.check.DecisionRecorders;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.HttpLimits;
import io.limiter.spring.web.RejectionResponses;
import io.limiter.spring.web.reactive.ExchangeDecisions;
import io.limiter.spring.web.reactive.ExchangeRejectionResponses;
import io.limiter.spring.web.reactive.ExchangeSubscriptions;
import io.limiter.spring.web.reactive.ExchangeUsers;
import io.limiter.spring.web.reactive.HttpLimitWebFilter;
import io.limiter.spring.web.reactive.LimitWebExceptionHandler;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/** Responses and limits of a WebFlux application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
class ReactiveWebConfiguration {

    @Bean
    ExchangeRejectionResponses limiterExchangeRejectionResponses(RejectionResponses answers) {
        return new ExchangeRejectionResponses(answers);
    }

    @Bean
    @ConditionalOnMissingBean
    LimitWebExceptionHandler limiterWebExceptionHandler(ExchangeRejectionResponses answers) {
        return new LimitWebExceptionHandler(answers);
    }

    @Bean
    @ConditionalOnMissingBean
    DecisionRecorders limiterDecisionRecorders() {
        return ExchangeDecisions::current;
    }

    @Bean
    ExchangeSubscriptions limiterExchangeSubscriptions(
            ExchangeUsers users, ObjectProvider<WebFluxConfigurer> configurers) {
        return new ExchangeSubscriptions(users, configurers::orderedStream);
    }

    /** Without limits, before filters that may call limited methods. */
    @Bean
    HttpLimitWebFilter limiterAnswerFilter(HttpFilters filters) {
        return filters.filter("limiterAnswerFilter", () -> HttpLimits.NONE, Ordered.HIGHEST_PRECEDENCE + 100);
    }

    @Bean
    HttpLimitWebFilter limiterHttpFilter(HttpRules rules, HttpFilters filters, LimiterProperties properties) {
        return filters.filter(
                "limiterHttpFilter", rules::first, properties.web().filterOrder());
    }

    /** Also without limits, because it puts the exchange that Spring Security has changed into the context. */
    @Bean
    HttpLimitWebFilter limiterHttpUserFilter(HttpRules rules, HttpFilters filters, LimiterProperties properties) {
        return filters.filter(
                "limiterHttpUserFilter", rules::byUser, properties.web().userFilterOrder());
    }

    @Bean
    HttpFilters limiterHttpFilters(
            ApplicationContext application,
            ClientAddress addresses,
            ObjectProvider<CurrentUser> users,
            ExchangeSubscriptions subscriptions,
            ExchangeRejectionResponses answers) {
        return new HttpFilters(application, addresses, users, subscriptions, answers);
    }

    /** Creates the filters. */
    record HttpFilters(
            ApplicationContext application,
            ClientAddress addresses,
            ObjectProvider<CurrentUser> users,
            ExchangeSubscriptions subscriptions,
            ExchangeRejectionResponses answers) {

        HttpLimitWebFilter filter(String name, Supplier<HttpLimits> limits, int order) {
            return new HttpLimitWebFilter(
                    application, name, order, limits, addresses, users.getIfAvailable(), subscriptions, answers);
        }
    }
}
