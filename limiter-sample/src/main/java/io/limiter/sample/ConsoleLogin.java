package io.limiter.sample;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The login of the console, as an application of yours has it; the other calls of the sample need none. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class ConsoleLogin {

    @Bean
    SecurityFilterChain protectedConsole(HttpSecurity http) throws Exception {
        return http.securityMatcher(
                        "/limiter/", "/limiter/assets/**", "/limiter/api/**", "/login", "/logout", "/default-ui.css")
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .formLogin(Customizer.withDefaults())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    /** @param password another at each start, unless {@code sample.console.password} is set; {@link Welcome} prints it */
    @Bean
    UserDetailsService operators(@Value("${sample.console.password}") String password) {
        return new InMemoryUserDetailsManager(User.withUsername("operator")
                .password("{noop}" + password)
                .roles("OPERATOR")
                .build());
    }
}
