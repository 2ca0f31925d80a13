package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health contributor for Spring Boot 4. */
public final class LimiterHealthIndicator implements HealthIndicator {

    private final LimiterFactory factory;

    public LimiterHealthIndicator(LimiterFactory factory) {
        this.factory = factory;
    }

    @Override
    public Health health() {
        BackendHealth health = BackendHealth.of(factory);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
