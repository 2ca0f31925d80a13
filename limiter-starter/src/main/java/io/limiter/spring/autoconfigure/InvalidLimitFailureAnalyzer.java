package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.settings.InvalidSettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Shows an invalid annotation or setting, and the origin of the setting, without a stack trace. It comes before Spring Boot's
 * own analyzer of settings, which does not name the allowed range.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {

    private final Environment environment;

    InvalidLimitFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        InvalidLimitException limit = findCause(rootFailure, InvalidLimitException.class);
        InvalidSettingException setting = findCause(rootFailure, InvalidSettingException.class);
        String origin = setting == null ? "" : SettingOrigins.of(environment, setting.setting());
        if (limit != null) {
            return new FailureAnalysis(
                    "A limit cannot work:\n\n    " + limit.getMessage() + origin,
                    "Correct the annotation, or its configuration, as the message says.",
                    limit);
        }
        return setting == null
                ? null
                : new FailureAnalysis(
                        "A setting of the limiter cannot work:\n\n    " + setting.getMessage() + origin,
                        "Correct the setting, as the message says.",
                        setting);
    }
}
