package io.limiter.spring.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * Reads properties with names of the application in them. Environment variables have no dashes, dots and capitals, so they are taken
 * for the names that other sources write with them.
 */
public final class NamedBinder {

    private NamedBinder() {}

    public static Binder of(Environment environment, PropertyTree tree) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        Spellings spellings = new Spellings(tree, sources);
        sources.replaceAll(spellings::applied);
        return new Binder(
                sources, new PropertySourcesPlaceholdersResolver(environment), null, null, new ExplainedFractions());
    }

    /** Says how a rate is written that an annotation has as a fraction. */
    private static final class ExplainedFractions implements BindHandler {

        /** Such as 1.0/60 or 100/1m. */
        private static final Pattern FRACTION =
                Pattern.compile("\\s*([\\d.]+)\\s*/\\s*([\\d.]+)?\\s*(\\p{Alpha}*)\\s*");

        @Override
        public Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            ConfigurationProperty property = context.getConfigurationProperty();
            if (property != null && name.getLastElement(Form.UNIFORM).equals("rate")) {
                Matcher fraction = FRACTION.matcher(String.valueOf(property.getValue()));
                if (fraction.matches()) {
                    String count = fraction.group(2) == null ? "1" : fraction.group(2);
                    String unit = fraction.group(3).isEmpty() ? "s" : fraction.group(3);
                    throw new InvalidSettingException(
                            name.toString(),
                            " must be a number, because a property computes nothing, was '" + property.getValue()
                                    + "': set rate=" + fraction.group(1) + " and per=" + count + unit,
                            error);
                }
            }
            throw error;
        }
    }
}
