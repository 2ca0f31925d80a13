package io.limiter.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether the health contributor is switched on: by its own setting, otherwise by the one for all. As Spring Boot's
 * {@code ConditionalOnEnabledHealthIndicator}, which is in another package in each line.
 */
final class HealthSwitch extends SpringBootCondition {

    private static final String OWN = "management.health.limiter.enabled";
    private static final String ALL = "management.health.defaults.enabled";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        String setting = environment.containsProperty(OWN) ? OWN : ALL;
        boolean on = environment.getProperty(setting, Boolean.class, true);
        return new ConditionOutcome(on, ConditionMessage.of(setting + " is " + on));
    }
}
