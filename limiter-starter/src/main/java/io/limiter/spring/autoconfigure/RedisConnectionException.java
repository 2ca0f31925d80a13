package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The limits are in Redis, and there is no connection factory, or more than one, for them. */
final class RedisConnectionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    private RedisConnectionException(String message, String description, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.description = description;
        this.action = action;
    }

    static RedisConnectionException none() {
        return new RedisConnectionException(
                "limiter.type is redis, and there is no RedisConnectionFactory bean",
                "The limiter keeps its permits in Redis (limiter.type is redis), and there is no RedisConnectionFactory"
                        + " bean.",
                "Do one of these:\n\n"
                        + "    - Configure Redis with spring.data.redis.* (host and port, or url), and do not exclude"
                        + " Spring Boot's auto-configuration of it.\n"
                        + "    - Set limiter.type=local to limit within this process alone.",
                null);
    }

    static RedisConnectionException several(NoUniqueBeanDefinitionException cause) {
        String problem = "there are several RedisConnectionFactory beans that the limiter could use, and it uses one: "
                + (cause.getBeanNamesFound() == null
                        ? cause.getMessage()
                        : String.join(", ", cause.getBeanNamesFound()));
        return new RedisConnectionException(
                problem,
                "The limiter keeps its permits in one Redis, and " + problem + ".",
                "Do one of these:\n\n"
                        + "    - Mark the bean that limiters use with @" + LimiterRedisConnectionFactory.class.getName()
                        + ".\n"
                        + "    - Mark the bean that is the default of the application with @Primary.",
                cause);
    }

    /** It comes before Spring Boot's own analyzer of several beans, whose advice does not help here. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static final class Analyzer extends AbstractFailureAnalyzer<RedisConnectionException> {

        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, RedisConnectionException cause) {
            return new FailureAnalysis(cause.description, cause.action, cause);
        }
    }
}
