package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.LimitSettings;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Lists the known settings if one is misspelt. It comes before Spring Boot's own, which names the type of the binding. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownSettingFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final ConfigurationPropertyName LIMITS = ConfigurationPropertyName.of("limiter.limits");
    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("limiter.http");

    /** The elements of a setting's name: limiter, limits, the name of the limit, the setting. */
    private static final int LIMITS_ELEMENTS = 4;

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> unbound = cause.getUnboundProperties().stream()
                .filter(property -> LIMITS.isAncestorOf(property.getName()) || RULES.isAncestorOf(property.getName()))
                .toList();
        return unbound.isEmpty()
                ? null
                : new FailureAnalysis(
                        "A setting of the limiter does not exist:" + SettingOrigins.of(unbound),
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
                .map(RecordComponent::getName)
                .map(setting -> setting.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
    }
}
