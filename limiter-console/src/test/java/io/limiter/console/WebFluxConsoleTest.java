package io.limiter.console;

import io.limiter.testing.OnNetty;
import io.limiter.testing.PlainPasswords;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerTypePredicate;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxConsoleTest extends ConsoleContract {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebFluxSecurity
    @Import({OnNetty.class, PlainPasswords.class})
    static class Application {

        @Bean
        FakeLiveLimits limits() {
            return new FakeLiveLimits();
        }

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        /** Each has the role of his name. */
        @Bean
        ReactiveUserDetailsService users() {
            return name -> Mono.just(
                    User.withUsername(name).password("secret").roles(name).build());
        }

        @Bean
        WebFluxConfigurer prefix() {
            return new WebFluxConfigurer() {
                @Override
                public void configurePathMatching(PathMatchConfigurer configurer) {
                    configurer.addPathPrefix("/v1", HandlerTypePredicate.forAnnotation(RestController.class));
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OnNetty.class, PlainPasswords.class})
    static class Default {

        @Bean
        FakeLiveLimits limits() {
            return new FakeLiveLimits();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebFluxSecurity
    static class Open extends Default {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @Override
    WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    Class<?> application() {
        return Application.class;
    }

    @Override
    Class<?> defaultApplication() {
        return Default.class;
    }

    @Override
    Class<?> openApplication() {
        return Open.class;
    }

    @Override
    String hidingStrategy() {
        return "framework";
    }
}
