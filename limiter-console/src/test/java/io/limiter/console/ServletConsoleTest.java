package io.limiter.console;

import io.limiter.testing.PlainPasswords;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerTypePredicate;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Spring MVC on Tomcat. */
class ServletConsoleTest extends ConsoleContract {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    @Import({Envelope.class, PlainPasswords.class})
    static class Application {

        @Bean
        FakeLiveLimits limits() {
            return new FakeLiveLimits();
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults());
            return http.build();
        }

        /** Each has the role of his name. */
        @Bean
        UserDetailsService users() {
            return name ->
                    User.withUsername(name).password("secret").roles(name).build();
        }

        /** As Spring Boot does it, whose own is another class in Spring Boot 4. */
        @Bean
        DelegatingFilterProxyRegistrationBean security() {
            DelegatingFilterProxyRegistrationBean registration =
                    new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
            registration.setOrder(-100);
            return registration;
        }

        @Bean
        WebMvcConfigurer prefix() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    configurer.addPathPrefix("/v1", HandlerTypePredicate.forAnnotation(RestController.class));
                }
            };
        }
    }

    @ControllerAdvice
    static class Envelope implements ResponseBodyAdvice<Object> {

        @Override
        public boolean supports(MethodParameter method, Class<? extends HttpMessageConverter<?>> converter) {
            return true;
        }

        @Override
        public Object beforeBodyWrite(
                Object body,
                MethodParameter method,
                MediaType type,
                Class<? extends HttpMessageConverter<?>> converter,
                ServerHttpRequest request,
                ServerHttpResponse response) {
            return "broken".getBytes(StandardCharsets.UTF_8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PlainPasswords.class)
    static class Default {

        @Bean
        FakeLiveLimits limits() {
            return new FakeLiveLimits();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class Open extends Default {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable());
            return http.build();
        }

        @Bean
        DelegatingFilterProxyRegistrationBean security() {
            return new Application().security();
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
        return "native";
    }
}
