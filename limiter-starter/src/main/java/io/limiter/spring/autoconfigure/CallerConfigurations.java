package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.internal.key.SecurityPrincipals;
import io.limiter.spring.internal.key.address.CallerAddress;
import io.limiter.spring.internal.settings.SettingChecks;
import io.limiter.spring.internal.web.reactive.CurrentExchange;
import io.limiter.spring.internal.web.reactive.ExchangeUsers;
import io.limiter.spring.internal.web.servlet.CurrentRequest;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Beans that find the caller's address and user. The configurations of users are imported in this order. */
final class CallerConfigurations {

    private static final boolean HAS_REQUESTS = Stream.of(
                    "jakarta.servlet.http.HttpServletRequest",
                    "org.springframework.web.context.request.RequestContextHolder")
            .allMatch(name -> ClassUtils.isPresent(name, CallerConfigurations.class.getClassLoader()));

    private CallerConfigurations() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class UserOfSecurity {

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser(ObjectProvider<SecurityContextHolderStrategy> strategy) {
            // The request may have a user without Spring Security.
            return SecurityPrincipals.currentUser(contexts(strategy), HAS_REQUESTS ? CurrentRequest::user : () -> null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({HttpServletRequest.class, RequestContextHolder.class})
    static class CallerOfRequest {

        @Bean
        @ConditionalOnMissingBean
        ClientAddress limiterClientAddress(LimiterProperties properties) {
            CallerAddress addresses = addresses(properties.key());
            return () -> CurrentRequest.address(addresses);
        }

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser() {
            return new PrincipalUser(CurrentRequest::user);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({ServerWebExchange.class, Mono.class, ReactiveSecurityContextHolder.class})
    static class ExchangeUsersOfSecurity {

        @Bean
        @ConditionalOnMissingBean
        ExchangeUsers limiterExchangeUsers() {
            // From Reactor's context, or else the exchange.
            return exchange -> ReactiveSecurityContextHolder.getContext()
                    .mapNotNull(SecurityContext::getAuthentication)
                    .filter(SecurityPrincipals::isKnown)
                    .<Principal>cast(Principal.class)
                    .switchIfEmpty(Mono.defer(() -> ExchangeUsers.principals().of(exchange))
                            .filter(SecurityPrincipals::isKnown));
        }
    }

    /** Imported before the configurations whose beans use the current thread. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({ServerWebExchange.class, Mono.class})
    static class CallerOfExchange {

        @Bean
        @ConditionalOnMissingBean
        ClientAddress limiterClientAddress(LimiterProperties properties) {
            CallerAddress addresses = addresses(properties.key());
            return () -> CurrentExchange.address(addresses);
        }

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser() {
            return new PrincipalUser(CurrentExchange::user);
        }

        @Bean
        @ConditionalOnMissingBean
        ExchangeUsers limiterExchangeUsers() {
            return ExchangeUsers.principals();
        }
    }

    static CallerAddress addresses(LimiterProperties.Key key) {
        return SettingChecks.named(
                "limiter.key.trusted-proxies",
                ": ",
                () -> new CallerAddress(key.trustedProxies(), key.ipv6PrefixLength(), key.forwardedHeader()));
    }

    private static Supplier<SecurityContextHolderStrategy> contexts(
            ObjectProvider<SecurityContextHolderStrategy> bean) {
        SecurityContextHolderStrategy strategy = bean.getIfAvailable();
        return strategy == null ? SecurityContextHolder::getContextHolderStrategy : () -> strategy;
    }
}
