package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.settings.NamedBinder;
import io.limiter.spring.internal.settings.NamedSettings;
import io.limiter.spring.internal.settings.PropertyTree;
import io.limiter.spring.internal.settings.UnknownProperties;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The names of all properties under {@code limiter}, by the records that they are bound to. A module lists its records in
 * {@code META-INF/spring/io.limiter.spring.autoconfigure.PropertyNames.imports}, so that their names are known even if none of its
 * beans is created. As a bean it checks all names before any other bean is created.
 */
final class PropertyNames implements BeanFactoryPostProcessor, NamedSettings {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("limiter");

    private final Map<String, ResolvableType> known = new TreeMap<>();
    private final PropertyTree tree;
    private final UnknownProperties unknown;

    PropertyNames() {
        this(ImportCandidates.load(PropertyNames.class, PropertyNames.class.getClassLoader())
                .getCandidates());
    }

    /** @param modules the records of other modules */
    PropertyNames(List<String> modules) {
        add(LimiterProperties.class);
        add(NamedProperties.class);
        modules.forEach(name -> add(ClassUtils.resolveClassName(name, PropertyNames.class.getClassLoader())));
        tree = new PropertyTree(ROOT, known);
        unknown = new UnknownProperties(tree);
    }

    private void add(Class<?> properties) {
        String prefix = Objects.requireNonNull(
                        properties.getAnnotation(ConfigurationProperties.class), properties::getName)
                .value();
        if (prefix.equals(ROOT.toString())) {
            known.putAll(PropertyTree.settings(ResolvableType.forClass(properties)));
        } else {
            known.put(prefix.substring(ROOT.toString().length() + 1), ResolvableType.forClass(properties));
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        check(beans.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class));
    }

    /** @throws InvalidSettingException if there are misspelt properties, with the nearest names */
    void check(Environment environment) {
        unknown.check(environment);
    }

    /** Reads properties with names in them; see {@link NamedBinder}. */
    Binder binder(Environment environment) {
        return NamedBinder.of(environment, tree);
    }

    @Override
    public <T> Map<String, T> read(String property, Class<T> type, Environment environment) {
        return new TreeMap<>(binder(environment)
                .bind(property, Bindable.mapOf(String.class, type))
                .orElse(Map.of()));
    }

    /** The rules for HTTP requests, in the order of their names. */
    Map<String, HttpRuleSettings> rules(Environment environment) {
        return read(HttpRuleSettings.PROPERTY, HttpRuleSettings.class, environment);
    }
}
