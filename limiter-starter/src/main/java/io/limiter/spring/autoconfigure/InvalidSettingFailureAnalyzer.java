package io.limiter.spring.autoconfigure;

import io.limiter.spring.settings.InvalidSettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Shows a bad setting with its origin. Before Spring Boot's own, which names the record and not the range. */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class InvalidSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

    private final Environment environment;

    InvalidSettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
        return new FailureAnalysis(
                "A setting of the limiter cannot work:\n\n    " + cause.getMessage()
                        + SettingOrigins.of(environment, cause.setting()),
                "Correct the setting, as the message says.",
                cause);
    }
}
