package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.InvalidLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a bad annotation without the stack of the bean that it stopped. */
final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        return new FailureAnalysis(
                "A limit cannot work:\n\n    " + cause.getMessage(),
                "Correct the annotation, or its configuration, as the message says.",
                cause);
    }
}
