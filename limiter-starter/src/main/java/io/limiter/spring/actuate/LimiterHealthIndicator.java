package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health contributor for Spring Boot 4. */
public final class LimiterHealthIndicator implements HealthIndicator {

    private final LimiterFactory factory;
    private final @Nullable EvictionWarning warning;

    public LimiterHealthIndicator(LimiterFactory factory, @Nullable EvictionWarning warning) {
        this.factory = factory;
        this.warning = warning;
    }

    @Override
    public Health health() {
        BackendHealth health = BackendHealth.of(factory, warning);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
