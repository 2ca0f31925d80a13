package io.limiter.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The console over HTTP, with Spring Security and CSRF tokens: the same for servlets and for WebFlux. All users may log in: viewer
 * may read, support may also change single keys, operator may also write, and ann may do none of these. The application has a prefix
 * for its controllers, and an advice that replaces what they answer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleContract {

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private ConfigurableApplicationContext server;
    private final Map<String, ConfigurableApplicationContext> unsecured = new HashMap<>();

    @Nested
    class Access extends ConsoleAccessContract {}

    @Nested
    class Changes extends ConsoleChangesContract {}

    @Nested
    class Keys extends ConsoleKeysContract {}

    @Nested
    class Page extends ConsolePageContract {}

    abstract WebApplicationType type();

    abstract Class<?> application();

    /** Has no security of its own, so that Spring Boot's holds. */
    abstract Class<?> defaultApplication();

    /** Permits all without a login, and wants no CSRF token. */
    abstract Class<?> openApplication();

    @BeforeAll
    void open() {
        server = start(
                application(),
                "--limiter.console.read-authorities=ROLE_viewer",
                "--limiter.console.key-authorities=ROLE_support",
                "--limiter.console.write-authorities=ROLE_operator");
    }

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    /** The one that most tests share. */
    final ConfigurableApplicationContext server() {
        return server;
    }

    /** The strategy for forwarded headers by which the server replaces the address before the console can see it. */
    abstract String hidingStrategy();

    /**
     * One that users of this machine read without a login.
     *
     * @param strategy for forwarded headers
     */
    final ConfigurableApplicationContext unsecured(String strategy) {
        return unsecured.computeIfAbsent(
                strategy,
                any -> start(
                        openApplication(),
                        "--server.forward-headers-strategy=" + strategy,
                        "--limiter.console.allow-unsecured=true",
                        "--limiter.console.write-authorities=ROLE_operator"));
    }

    /** One that runs until all tests of the class have. */
    final ConfigurableApplicationContext start(Class<?> application, String... more) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type());
        List<String> settings = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--limiter.type=local",
                "--limiter.console.enabled=true",
                "--limiter.console.path=/ops/limiter"));
        settings.addAll(List.of(more));
        ConfigurableApplicationContext context = spring.run(settings.toArray(String[]::new));
        started.add(context);
        return context;
    }
}
