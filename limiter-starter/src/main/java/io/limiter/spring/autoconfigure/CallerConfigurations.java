package io.limiter.spring.autoconfigure;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.PrincipalUser;
import io.limiter.spring.key.SecurityPrincipals;
import io.limiter.spring.key.address.CallerAddress;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.web.reactive.CurrentExchange;
import io.limiter.spring.web.reactive.ExchangeUsers;
import io.limiter.spring.web.reactive.SecurityExchangeUsers;
import io.limiter.spring.web.servlet.CurrentRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Beans that find the caller's address and user. The configurations of users are imported in this order. */
final class CallerConfigurations {

    private CallerConfigurations() {}

    /** The request may have a user without Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({SecurityContextHolder.class, HttpServletRequest.class, RequestContextHolder.class})
    static class UserOfSecurityOrRequest {

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser(ObjectProvider<SecurityContextHolderStrategy> strategy) {
            return SecurityPrincipals.currentUser(contexts(strategy), CurrentRequest::user);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class UserOfSecurity {

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser(ObjectProvider<SecurityContextHolderStrategy> strategy) {
            return SecurityPrincipals.currentUser(contexts(strategy), () -> null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({HttpServletRequest.class, RequestContextHolder.class})
    static class UserOfRequest {

        @Bean
        @ConditionalOnMissingBean
        CurrentUser limiterCurrentUser() {
            return new PrincipalUser(CurrentRequest::user);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({HttpServletRequest.class, RequestContextHolder.class})
    static class AddressOfRequest {

        @Bean
        @ConditionalOnMissingBean
        ClientAddress limiterClientAddress(LimiterProperties properties) {
            CallerAddress addresses = addresses(properties.key());
            return () -> CurrentRequest.address(addresses);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({ServerWebExchange.class, Mono.class, ReactiveSecurityContextHolder.class})
    static class ExchangeUsersOfSecurity {

        @Bean
        @ConditionalOnMissingBean
        ExchangeUsers limiterExchangeUsers() {
            return new SecurityExchangeUsers();
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

    private static CallerAddress addresses(LimiterProperties.Key key) {
        try {
            return new CallerAddress(key.trustedProxies(), key.ipv6PrefixLength(), key.forwardedHeader());
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(
                    "limiter.key.trusted-proxies", "limiter.key.trusted-proxies: " + e.getMessage(), e);
        }
    }

    private static Supplier<SecurityContextHolderStrategy> contexts(
            ObjectProvider<SecurityContextHolderStrategy> bean) {
        SecurityContextHolderStrategy strategy = bean.getIfAvailable();
        return strategy == null ? SecurityContextHolder::getContextHolderStrategy : () -> strategy;
    }
}
