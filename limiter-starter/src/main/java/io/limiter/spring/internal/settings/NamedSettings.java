package io.limiter.spring.internal.settings;

import java.util.Map;
import org.springframework.core.env.Environment;

/** Reads settings under names of the application, such as {@code limiter.http}. A bean. Safe for use by many threads. */
public interface NamedSettings {

    /**
     * The settings of each name under a property as they are now, in the order of the names. The names in environment variables are
     * those that other sources write.
     *
     * @param type a record
     * @throws RuntimeException if a setting cannot be bound, naming it
     */
    <T> Map<String, T> read(String property, Class<T> type, Environment environment);
}
