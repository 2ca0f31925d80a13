package io.limiter.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The paths of Actuator's health endpoint on the port of the application, such as {@code /actuator/health}. A platform restarts
 * what does not answer there, so a rule limits them only if it names them.
 *
 * <p>They are read from properties, because Actuator is optional, and its beans are created after filters.
 */
final class HealthPaths {

    /** Spring Boot 4 has moved it. */
    private static final boolean PRESENT = Stream.of(
                    "org.springframework.boot.actuate.health.HealthEndpoint",
                    "org.springframework.boot.health.actuate.endpoint.HealthEndpoint")
            .anyMatch(name -> ClassUtils.isPresent(name, HealthPaths.class.getClassLoader()));

    private static final String ENDPOINTS = "management.endpoints.web.";
    private static final String HEALTH = "management.endpoint.health.";
    private static final String OF_THE_APPLICATION = "server:";

    private HealthPaths() {}

    /** Without patterns: the paths below them belong to the endpoint, too. */
    static List<String> of(Environment environment) {
        if (!PRESENT) {
            return List.of();
        }
        // The servlet that handles the endpoint also handles additional paths, so all of them are below its path.
        String servlet = path(environment.getProperty("spring.mvc.servlet.path", ""));
        List<String> paths = new ArrayList<>();
        if (isOnPortOfApplication(environment)) {
            paths.add(servlet
                    + path(environment.getProperty(ENDPOINTS + "base-path", "/actuator"))
                    + path(environment.getProperty(ENDPOINTS + "path-mapping.health", "health")));
        }
        if (environment.getProperty(HEALTH + "probes.add-additional-paths", Boolean.class, false)) {
            paths.add(servlet + "/livez");
            paths.add(servlet + "/readyz");
        }
        Binder.get(environment)
                .bind(HEALTH + "group", Bindable.mapOf(String.class, Group.class))
                .orElseGet(Map::of)
                .values()
                .stream()
                .map(Group::additionalPath)
                .filter(Objects::nonNull)
                .filter(path -> path.startsWith(OF_THE_APPLICATION))
                .map(path -> servlet + path(path.substring(OF_THE_APPLICATION.length())))
                .forEach(paths::add);
        return paths;
    }

    /** A health group, of which everything else is Actuator's own. */
    record Group(@Nullable String additionalPath) {}

    private static boolean isOnPortOfApplication(Environment environment) {
        String port = environment.getProperty("management.server.port");
        return port == null
                || port.isBlank()
                || !port.equals("0") && port.equals(environment.getProperty("server.port", "8080"));
    }

    /** With a slash before it and none behind. */
    private static String path(String text) {
        String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        return path.isEmpty() || path.startsWith("/") ? path : "/" + path;
    }
}
