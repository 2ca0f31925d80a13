package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.settings.LimitSettings;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The properties with names of the application in them. No bean is bound to them: {@link PropertyNames#binder} reads each while beans
 * are created, and again when they change.
 *
 * @param http Rules for HTTP requests by name: which requests a rule matches, and their limits.
 * @param limits Settings of annotated limits by name, and of the plans of their callers. They override those of the
 *     annotations.
 */
@ConfigurationProperties("limiter")
record NamedProperties(
        @Nullable Map<String, HttpRuleSettings> http,
        @Nullable Map<String, LimitSettings> limits) {}
