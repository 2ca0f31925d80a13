package io.limiter.spring.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Shows the values and origins of settings, as Spring Boot's own failure analyses do. */
final class SettingOrigins {

    private SettingOrigins() {}

    /** The setting of this name, otherwise all settings below the name. */
    static String of(Environment environment, String setting) {
        Map<ConfigurationPropertyName, ConfigurationProperty> found = new LinkedHashMap<>();
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(setting, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            set(source, name).forEach(property -> found.putIfAbsent(property.getName(), property));
        }
        return of(found.values());
    }

    /** A paragraph for each property, after a blank line. */
    static String of(Collection<ConfigurationProperty> properties) {
        return properties.stream()
                .map(property -> "\n\n    Property: " + property.getName()
                        + "\n    Value: \"" + property.getValue() + "\""
                        + "\n    Origin: " + (property.getOrigin() == null ? "unknown" : property.getOrigin()))
                .collect(Collectors.joining());
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
}
