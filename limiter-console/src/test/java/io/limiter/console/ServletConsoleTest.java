package io.limiter.console;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/** Spring MVC on Tomcat. */
class ServletConsoleTest extends ConsoleContract {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class Application {

        @Bean
        FakeLiveLimits limits() {
            return new FakeLiveLimits();
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            http.authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.POST, "/ops/limiter/**")
                            .hasRole("operator")
                            .anyRequest()
                            .hasAnyRole("viewer", "operator"))
                    .httpBasic(Customizer.withDefaults());
            return http.build();
        }

        /** Each has the role of his name. */
        @Bean
        UserDetailsService users() {
            return name ->
                    User.withUsername(name).password("{noop}secret").roles(name).build();
        }

        /** As Spring Boot does it, whose own is another class in Spring Boot 4. */
        @Bean
        DelegatingFilterProxyRegistrationBean security() {
            DelegatingFilterProxyRegistrationBean registration =
                    new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
            registration.setOrder(-100);
            return registration;
        }
    }

    @Override
    WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    Class<?> application() {
        return Application.class;
    }
}
