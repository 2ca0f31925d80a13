package io.limiter.spring.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Properties that change while the application runs. */
final class ChangingSettings {

    private final Map<String, Object> values = new HashMap<>();

    /** An application with these properties. */
    <R extends AbstractApplicationContextRunner<R, ?, ?>> R in(R runner) {
        return runner.withInitializer(context -> ((ConfigurableApplicationContext) context)
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("changing", values)));
    }

    /** Sets a property, and publishes the event of Spring Cloud. */
    void change(ApplicationContext context, String name, Object value) {
        put(name, value);
        context.publishEvent(new EnvironmentChangeEvent(Set.of(name)));
    }

    void put(String name, Object value) {
        values.put(name, value);
    }

    void remove(String name) {
        values.remove(name);
    }

    void clear() {
        values.clear();
    }
}
