package io.limiter.spring.actuate;

import io.limiter.LimiterFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** The health contributor for Spring Boot 3. */
public final class Boot3LimiterHealthIndicator implements HealthIndicator {

    private final LimiterFactory factory;
    private final @Nullable EvictionWarning warning;

    public Boot3LimiterHealthIndicator(LimiterFactory factory, @Nullable EvictionWarning warning) {
        this.factory = factory;
        this.warning = warning;
    }

    @Override
    public Health health() {
        BackendHealth health = BackendHealth.of(factory, warning);
        return Health.status(health.status()).withDetails(health.details()).build();
    }
}
