package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.settings.InvalidSettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Shows a bad annotation without the stack of the bean that it stopped. Before the analyzer of settings: where a setting made
 * the limit what it is, this one names both.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    private final Environment environment;

    InvalidLimitFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        InvalidSettingException setting = findCause(cause, InvalidSettingException.class);
        return new FailureAnalysis(
                "A limit cannot work:\n\n    " + cause.getMessage()
                        + (setting == null ? "" : SettingOrigins.of(environment, setting.setting())),
                "Correct the annotation, or its configuration, as the message says.",
                cause);
    }
}
