package io.limiter.spring.settings;

import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Properties under other names.
 *
 * @param names those in the source by those here; properties without one are left out
 */
record RenamedProperties(
        ConfigurationPropertySource source, Map<ConfigurationPropertyName, ConfigurationPropertyName> names)
        implements IterableConfigurationPropertySource {

    static boolean isOfVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        ConfigurationPropertyName own = names.get(name);
        return own == null ? null : source.getConfigurationProperty(own);
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return names.keySet().stream();
    }
}
