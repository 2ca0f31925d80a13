package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.LimitSettings;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Reads {@code limiter.limits} without a bean, because limits are checked while beans are created. An unknown setting fails the
 * start, because a misspelt setting would not change its limit.
 */
final class NamedLimits {

    private static final String PROPERTY = "limiter.limits";

    private NamedLimits() {}

    /** @throws InvalidSettingException naming a setting that is out of its range */
    static Map<String, LimitSettings> read(Environment environment) {
        BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
        Map<String, LimitSettings> limits = Binder.get(environment)
                .bind(PROPERTY, Bindable.mapOf(String.class, LimitSettings.class), strict)
                .orElse(Map.of());
        Map<String, LimitSettings> settings = new TreeMap<>();
        limits.forEach((name, limit) -> settings.put(name, limit.checked(ConfiguredLimits.property(name))));
        return settings;
    }
}
