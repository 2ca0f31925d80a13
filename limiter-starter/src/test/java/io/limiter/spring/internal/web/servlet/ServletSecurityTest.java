package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.SecurityContract;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC on Tomcat. */
class ServletSecurityTest extends SecurityContract {

    @RestController
    static class Limited {

        @GetMapping("/user")
        @CountLimit(limit = 1, name = "secured", per = "1h", limitType = LimitType.USER)
        public String user() {
            return "done";
        }

        @GetMapping("/named")
        @CountLimit(limit = 1, name = "named", per = "1h", key = "#{user() != null ? 'user:' + user() : ip()}")
        public String named() {
            return "done";
        }

        @GetMapping("/claim")
        @CountLimit(limit = 1, name = "claim", per = "1h", key = "claim:plan")
        public String claim() {
            return "done";
        }

        @PostMapping("/limited")
        @CountLimit(limit = 1, name = "limited", per = "1h", key = "param:who")
        public String limited(@RequestParam(name = "who", required = false) String who) {
            return who;
        }

        @PostMapping("/body")
        public void body(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.getInputStream().transferTo(response.getOutputStream());
        }

        @RequestMapping({"/parameters", "/guarded"})
        public String parameters(@RequestParam("who") String who, @RequestParam("more") List<String> more) {
            return who + more;
        }

        @GetMapping({"/mine/x", "/secret/x"})
        public String open() {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class Application {

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            http.authorizeHttpRequests(requests -> requests.requestMatchers("/secret/**")
                            .authenticated()
                            .anyRequest()
                            .permitAll())
                    .csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
                            .csrfTokenRequestHandler(new CsrfTokenRequestAttributeHandler())
                            .requireCsrfProtectionMatcher(
                                    request -> request.getServletPath().equals("/guarded")))
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .oauth2ResourceServer(tokens -> tokens.jwt(jwt -> jwt.decoder(
                            NimbusJwtDecoder.withSecretKey(TOKEN_KEY).build())));
            return http.build();
        }

        @Bean
        UserDetailsService users() {
            return Claimant::new;
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
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
