package io.limiter.docs;

import org.springframework.security.config.annotation.web.builders.HttpSecurity;

/** The snippet of docs/console.md. */
final class ConsoleSnippets {

    private ConsoleSnippets() {}

    static void rules(HttpSecurity http) throws Exception {
        // console: rules
        http.authorizeHttpRequests(
                requests -> requests.requestMatchers("/limiter/**").authenticated());
        // end
    }
}
