package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.LimitSettings;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
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

    private static final ConfigurationPropertyName LIMITS = ConfigurationPropertyName.of("limiter.limits");
    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("limiter.http");

    /** The elements of a setting's name: limiter, limits, the name of the limit, the setting. */
    private static final int LIMITS_ELEMENTS = 4;

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
        UnboundConfigurationPropertiesException unbound =
                findCause(rootFailure, UnboundConfigurationPropertiesException.class);
        return unbound == null ? null : unknown(unbound);
    }

    /** Lists the known settings if one is misspelt. */
    private static @Nullable FailureAnalysis unknown(UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> unbound = cause.getUnboundProperties().stream()
                .filter(property -> LIMITS.isAncestorOf(property.getName()) || RULES.isAncestorOf(property.getName()))
                .toList();
        return unbound.isEmpty()
                ? null
                : new FailureAnalysis(
                        "Unknown limiter property:" + origins(unbound),
                        action(unbound.get(0).getName()),
                        cause);
    }

    private static String action(ConfigurationPropertyName name) {
        List<String> settings = settingsBeside(name);
        String own = name.getLastElement(Form.UNIFORM);
        boolean inList = IntStream.range(0, name.getNumberOfElements()).anyMatch(name::isNumericIndex);
        if (inList
                && settings.stream()
                        .anyMatch(setting -> setting.replace("-", "").equals(own))) {
            return "Number the elements of the list from [0] on, without a gap.";
        }
        if (LIMITS.isAncestorOf(name) && name.getNumberOfElements() > LIMITS_ELEMENTS) {
            return "Write the name of a limit in brackets if it has other characters than letters, digits and dashes, such as"
                    + " dots: " + LIMITS + "[com.acme.Shop.search()].rate.";
        }
        return "Remove it, or use one of " + String.join(", ", settings) + ".";
    }

    /** The settings at the same place. */
    private static List<String> settingsBeside(ConfigurationPropertyName name) {
        boolean ofLimit = LIMITS.isAncestorOf(name) || name.toString().contains("].limits[");
        return Arrays.stream((ofLimit ? LimitSettings.class : HttpRule.class).getRecordComponents())
                .map(setting -> DataObjectPropertyName.toDashedForm(setting.getName()))
                .toList();
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
