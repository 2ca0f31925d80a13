package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says how the one connection is named that the limiter uses. Before Spring Boot's own, which advises to name none. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SeveralRedisConnectionsFailureAnalyzer extends AbstractFailureAnalyzer<SeveralRedisConnectionsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SeveralRedisConnectionsException cause) {
        return new FailureAnalysis(
                "The limiter keeps its permits in one Redis, and " + cause.getMessage() + ".",
                "Do one of these:\n\n"
                        + "    - Mark the bean that limiters use with @" + LimiterRedisConnectionFactory.class.getName()
                        + ".\n"
                        + "    - Mark the bean that all use who name none with @Primary.",
                cause);
    }
}
