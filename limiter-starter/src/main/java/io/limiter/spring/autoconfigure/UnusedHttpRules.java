package io.limiter.spring.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/** Warns about {@code limiter.http} in an application that serves no HTTP requests. */
final class UnusedHttpRules implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(UnusedHttpRules.class);
    private static final ConfigurationPropertyName PROPERTY = ConfigurationPropertyName.of("limiter.http");

    private final ListableBeanFactory beans;
    private final Environment environment;

    UnusedHttpRules(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!beans.containsBean("limiterHttpRules") && areSet()) {
            log.warn(
                    "limiter.http has rules without effect, because this is neither a servlet application nor one of WebFlux: remove"
                            + " limiter.http");
        }
    }

    private boolean areSet() {
        for (var source : ConfigurationPropertySources.get(environment)) {
            if (source.containsDescendantOf(PROPERTY) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }
}
