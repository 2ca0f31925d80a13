package io.limiter.console;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the console does not start, without a stack trace. */
final class ConsoleFailureAnalyzer extends AbstractFailureAnalyzer<ConsoleStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConsoleStartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.remedy(), cause);
    }
}
