package io.limiter.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the two ways out when there is no Redis. */
final class NoRedisConnectionFailureAnalyzer extends AbstractFailureAnalyzer<NoRedisConnectionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoRedisConnectionException cause) {
        return new FailureAnalysis(
                "The limiter keeps its permits in Redis (limiter.type is redis), and there is no RedisConnectionFactory"
                        + " bean.",
                "Do one of these:\n\n"
                        + "    - Configure Redis with spring.data.redis.* (host and port, or url), and do not exclude"
                        + " Spring Boot's auto-configuration of it.\n"
                        + "    - Set limiter.type=local to limit within this process alone.",
                cause);
    }
}
