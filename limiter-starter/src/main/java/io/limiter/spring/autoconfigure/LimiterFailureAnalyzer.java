package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Shows an invalid annotation or setting with its origin, or a missing connection to Redis, without a stack trace. It comes
 * before Spring Boot's own analyzers, which name the type of a binding and no allowed range.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LimiterFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {

    private final Environment environment;

    LimiterFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        RedisConnectionException connection = findCause(rootFailure, RedisConnectionException.class);
        if (connection != null) {
            return connection.analysis();
        }
        InvalidLimitException limit = findCause(rootFailure, InvalidLimitException.class);
        InvalidSettingException setting = findCause(rootFailure, InvalidSettingException.class);
        // Attributes of annotations are no properties.
        boolean configured = setting != null && setting.setting().startsWith("limiter.");
        String origin = configured ? origins(below(setting.setting())) : "";
        if (limit != null) {
            return new FailureAnalysis(
                    "Invalid limit:\n\n    " + limit.getMessage() + origin,
                    "Correct the annotation, or its configuration, as the message says.",
                    limit);
        }
        if (setting != null) {
            return new FailureAnalysis(
                    "Invalid limiter property:\n\n    " + setting.getMessage() + origin,
                    "Correct the setting, as the message says.",
                    setting);
        }
        return null;
    }

    /** The setting of this name, otherwise all settings below the name. */
    private Collection<ConfigurationProperty> below(String setting) {
        Map<ConfigurationPropertyName, ConfigurationProperty> found = new LinkedHashMap<>();
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(setting, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            set(source, name).forEach(property -> found.putIfAbsent(property.getName(), property));
        }
        return found.values();
    }

    private static Stream<ConfigurationProperty> set(
            ConfigurationPropertySource source, ConfigurationPropertyName name) {
        ConfigurationProperty exact = source.getConfigurationProperty(name);
        if (exact != null) {
            return Stream.of(exact);
        }
        return source instanceof IterableConfigurationPropertySource all
                ? all.stream()
                        .filter(name::isAncestorOf)
                        .map(source::getConfigurationProperty)
                        .flatMap(Stream::ofNullable)
                : Stream.empty();
    }

    /** A paragraph for each property, after a blank line. */
    private static String origins(Collection<ConfigurationProperty> properties) {
        return properties.stream()
                .map(property -> "\n\n    Property: " + property.getName()
                        + "\n    Value: \"" + property.getValue() + "\""
                        + "\n    Origin: " + (property.getOrigin() == null ? "unknown" : property.getOrigin()))
                .collect(Collectors.joining());
    }
}
