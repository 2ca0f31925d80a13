package io.limiter.browser;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import io.limiter.testing.RedisProcess;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The application in the pictures of the pages: a shop, whose limits have names and keys, and whose console needs a login. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Shop.Login.class, Shop.Endpoints.class, Shop.Tenants.class})
class Shop {

    private static final long EXPORT_MILLIS = 1500;

    /** An instance on a free port. Its console shows keys. */
    static ConfigurableApplicationContext start(RedisProcess redis) {
        return new SpringApplicationBuilder(Shop.class)
                .run(
                        // Without the configuration of the sample.
                        "--spring.config.name=shop",
                        "--spring.application.name=shop",
                        "--spring.main.banner-mode=off",
                        // Its Redis writes nothing to disk, which would be logged.
                        "--logging.level.root=error",
                        "--server.address=127.0.0.1",
                        "--server.port=0",
                        "--spring.data.redis.port=" + redis.port(),
                        // A slow machine is not an outage.
                        "--limiter.failure.decision-timeout=2m",
                        "--limiter.console.enabled=true",
                        "--limiter.console.write-authorities=ROLE_OPERATOR",
                        "--limiter.live.show-keys=true",
                        // The callers are on this machine, and say for whom they call, as a load balancer does.
                        "--limiter.key.trusted-proxies=127.0.0.1",
                        "--limiter.limits.api.plans.free.rate=2",
                        "--limiter.limits.api.plans.pro.rate=50",
                        "--limiter.limits.reports.warn-at=80%");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Login {

        @Bean
        SecurityFilterChain protectedConsole(HttpSecurity http) throws Exception {
            return http.securityMatcher("/limiter/**", "/login", "/logout", "/default-ui.css")
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService operators() {
            return new InMemoryUserDetailsManager(User.withUsername(Samples.OPERATOR)
                    .password("{noop}" + Samples.PASSWORD)
                    .roles("OPERATOR")
                    .build());
        }
    }

    static class Tenants implements PlanResolver {

        private static final Set<String> FREE = Set.of("acme", "hooli", "vandelay");
        private static final Set<String> PRO = Set.of("globex", "initech", "umbrella");

        @Override
        public @Nullable String planOf(PlanRequest request) {
            return FREE.contains(request.key()) ? "free" : PRO.contains(request.key()) ? "pro" : null;
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/search")
        @RateLimit(name = "search", limitType = LimitType.IP, rate = 5, capacity = 10)
        String search() {
            return "found";
        }

        @GetMapping("/login-attempt")
        @CountLimit(name = "login", kind = CountLimit.Kind.SLIDING_LOG, key = "#{user}", limit = 5, per = "15m")
        String logIn(@RequestParam String user) {
            return "welcome, " + user;
        }

        @GetMapping("/code")
        @CountLimit(name = "sms-code", key = "#{phone}", limit = 1, per = "1m")
        String sendCode(@RequestParam String phone) {
            return "sent to " + phone;
        }

        @GetMapping("/checkout")
        @RateLimit(name = "checkout", key = "#{user}", rate = 1, capacity = 5)
        String checkOut(@RequestParam String user) {
            return "thank you, " + user;
        }

        /** All instances together call the provider of payments no more often than it allows. */
        @GetMapping("/payment")
        @RateLimit(name = "payments", rate = 20, capacity = 20)
        String pay() {
            return "paid";
        }

        @GetMapping("/api")
        @RateLimit(name = "api", key = "#{tenant}", rate = 1)
        String api(@RequestParam String tenant) {
            return "granted to " + tenant;
        }

        @GetMapping("/reports")
        @CountLimit(
                name = "reports",
                key = "#{tenant}",
                limit = 1000,
                per = "month",
                zone = "Europe/Berlin",
                cost = "#{pages}")
        String report(@RequestParam String tenant, @RequestParam long pages) {
            return pages + " pages for " + tenant;
        }

        @GetMapping("/exports/{tenant}")
        @ConcurrentLimit(name = "exports", key = "#{tenant}", limit = 2)
        String export(@PathVariable String tenant) throws InterruptedException {
            Thread.sleep(EXPORT_MILLIS);
            return "exported for " + tenant;
        }
    }
}
