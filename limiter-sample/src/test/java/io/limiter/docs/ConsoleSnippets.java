package io.limiter.docs;

import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;

/** The snippet of docs/console.md. */
final class ConsoleSnippets {

    private ConsoleSnippets() {}

    static void rules(HttpSecurity http) throws Exception {
        // console: rules
        http.authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.POST, "/limiter/**")
                .hasRole("OPERATOR")
                .requestMatchers("/limiter/**")
                .hasAnyRole("VIEWER", "OPERATOR"));
        // end
    }
}
