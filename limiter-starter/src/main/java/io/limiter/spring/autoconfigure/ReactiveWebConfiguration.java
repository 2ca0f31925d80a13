package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.key.CurrentKeyRequest;
import io.limiter.spring.internal.key.LazyLookup;
import io.limiter.spring.internal.web.CatchAllHandlers;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.internal.web.reactive.CurrentExchange;
import io.limiter.spring.internal.web.reactive.ExchangeChecks;
import io.limiter.spring.internal.web.reactive.ExchangeRecords;
import io.limiter.spring.internal.web.reactive.ExchangeRejectionResponses;
import io.limiter.spring.internal.web.reactive.ExchangeRuleLimits;
import io.limiter.spring.internal.web.reactive.ExchangeSubscriptions;
import io.limiter.spring.internal.web.reactive.ExchangeUsers;
import io.limiter.spring.internal.web.reactive.FailedAuthentications;
import io.limiter.spring.internal.web.reactive.RecordedResultHandler;
import io.limiter.spring.internal.web.reactive.RejectionAdvice;
import io.limiter.spring.internal.web.reactive.RuleWebFilter;
import io.limiter.spring.internal.web.reactive.SenderWebFilter;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.ReactiveRuleLimits;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/** Responses and limits of a WebFlux application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
class ReactiveWebConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ExchangeRejectionResponses limiterExchangeRejectionResponses(RejectionResponses answers) {
        return new ExchangeRejectionResponses(answers);
    }

    @Bean
    @ConditionalOnMissingBean
    DecisionRecorder.Finder limiterDecisionRecorders() {
        return ExchangeRecords::current;
    }

    @Bean
    @ConditionalOnMissingBean
    CurrentKeyRequest limiterCurrentKeyRequest(ClientAddress addresses, ObjectProvider<CurrentUser> users) {
        Supplier<@Nullable CurrentUser> known = new LazyLookup<>(users::getIfAvailable);
        return () -> CurrentExchange.facts(addresses, known.get());
    }

    @Bean
    ExchangeSubscriptions limiterExchangeSubscriptions(
            ExchangeUsers users, ObjectProvider<WebFluxConfigurer> configurers) {
        return new ExchangeSubscriptions(users, configurers::orderedStream);
    }

    @Bean
    RecordedResultHandler limiterRecordedResultHandler(
            LimiterProperties properties, ObjectProvider<HandlerResultHandler> handlers) {
        return new RecordedResultHandler(properties.web().headers(), handlers::orderedStream);
    }

    @Bean
    SenderWebFilter limiterSenderFilter(ConfiguredRules rules) {
        return new SenderWebFilter(rules.exemptAddresses());
    }

    /** Without limits, before filters that may call limited methods. */
    @Bean
    RuleWebFilter limiterAnswerFilter(ExchangeChecks checks, ApplicationContext application) {
        int order = Ordered.HIGHEST_PRECEDENCE + 100;
        return new RuleWebFilter(checks, application, "limiterAnswerFilter", order, HttpRules.NONE);
    }

    @Bean
    CatchAllHandlers limiterCatchAllHandlers(ApplicationContext context) {
        return new CatchAllHandlers(context, RejectionAdvice.class);
    }

    @Bean
    RejectionAdvice.Exceeded limiterExceededAdvice(ExchangeRejectionResponses answers, CatchAllHandlers handlers) {
        return new RejectionAdvice.Exceeded(answers, handlers);
    }

    @Bean
    RejectionAdvice.MissingKey limiterMissingKeyAdvice(ExchangeRejectionResponses answers, CatchAllHandlers handlers) {
        return new RejectionAdvice.MissingKey(answers, handlers);
    }

    @Bean
    RejectionAdvice.InvalidArgument limiterInvalidArgumentAdvice(
            ExchangeRejectionResponses answers, CatchAllHandlers handlers) {
        return new RejectionAdvice.InvalidArgument(answers, handlers);
    }

    @Bean
    RejectionAdvice.Undecided limiterUndecidedAdvice(ExchangeRejectionResponses answers, CatchAllHandlers handlers) {
        return new RejectionAdvice.Undecided(answers, handlers);
    }

    /** Where Spring Security is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ReactiveAuthenticationManager.class)
    static class OfSecurity {

        @Bean
        static FailedAuthentications limiterFailedAuthentications(ConfigurableListableBeanFactory beans) {
            return new FailedAuthentications(beans);
        }
    }

    @Bean
    RuleWebFilter limiterHttpFilter(
            ConfiguredRules rules,
            ExchangeChecks checks,
            ApplicationContext application,
            LimiterProperties properties) {
        int order = properties.web().filterOrder();
        return new RuleWebFilter(checks, application, "limiterHttpFilter", order, rules.beforeSecurity());
    }

    /** Also without limits, because it puts the exchange that Spring Security has changed into the context. */
    @Bean
    RuleWebFilter limiterHttpUserFilter(
            ConfiguredRules rules,
            ExchangeChecks checks,
            ApplicationContext application,
            LimiterProperties properties) {
        int order = properties.web().userFilterOrder();
        return new RuleWebFilter(checks, application, "limiterHttpUserFilter", order, rules.behindSecurity());
    }

    @Bean
    @ConditionalOnMissingBean
    ReactiveRuleLimits limiterRuleLimits(
            ConfiguredRules rules,
            ExchangeSubscriptions subscriptions,
            ClientAddress addresses,
            ObjectProvider<CurrentUser> users) {
        return new ExchangeRuleLimits(rules::rule, subscriptions, addresses, new LazyLookup<>(users::getIfAvailable));
    }

    @Bean
    ExchangeChecks limiterExchangeChecks(
            ClientAddress addresses,
            ObjectProvider<CurrentUser> users,
            ExchangeSubscriptions subscriptions,
            ExchangeRejectionResponses answers) {
        return new ExchangeChecks(addresses, users.getIfAvailable(), subscriptions, answers);
    }
}
