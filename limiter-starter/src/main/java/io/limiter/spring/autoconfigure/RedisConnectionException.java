package io.limiter.spring.autoconfigure;

import io.limiter.spring.annotation.LimiterRedisConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The limits are in Redis, and there is no connection factory, or more than one, for them. */
final class RedisConnectionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String action;

    private RedisConnectionException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    static RedisConnectionException none() {
        return new RedisConnectionException(
                "The limiter keeps its permits in Redis (limiter.type is redis), and there is no RedisConnectionFactory"
                        + " bean.",
                "Do one of these:\n\n"
                        + "    - Configure Redis with spring.data.redis.* (host and port, or url), and do not exclude"
                        + " Spring Boot's auto-configuration of it.\n"
                        + "    - Set limiter.type=local to limit within this process alone.",
                null);
    }

    static RedisConnectionException several(NoUniqueBeanDefinitionException cause) {
        String found = cause.getBeanNamesFound() == null
                ? String.valueOf(cause.getMessage())
                : String.join(", ", cause.getBeanNamesFound());
        return new RedisConnectionException(
                "The limiter keeps its permits in one Redis, and there are several RedisConnectionFactory beans that the"
                        + " limiter could use, and it uses one: " + found + ".",
                "Do one of these:\n\n"
                        + "    - Mark the bean that limiters use with @" + LimiterRedisConnectionFactory.class.getName()
                        + ".\n"
                        + "    - Mark the bean that is the default of the application with @Primary.",
                cause);
    }

    FailureAnalysis analysis() {
        return new FailureAnalysis(String.valueOf(getMessage()), action, this);
    }
}
