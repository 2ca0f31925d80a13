package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** The health contributor for Spring Boot 3. */
public final class Boot3LimiterHealthIndicator implements HealthIndicator {

    private final LimiterFactory factory;

    public Boot3LimiterHealthIndicator(LimiterFactory factory) {
        this.factory = factory;
    }

    @Override
    public Health health() {
        BackendHealth health = BackendHealth.of(factory);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
