package io.limiter.console;

import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.condition.ConditionalOnSetting;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** Serves the console on {@code management.server.port}, next to Actuator's endpoints, if that is another port. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnSetting(name = "limiter.console.enabled", otherwise = "false")
@ConditionalOnEnabledLimiter
@Import(ConsoleMappings.class)
class ManagementPort {

    /** Whether the application has no such port. */
    static final class None implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !ClassUtils.isPresent(
                            "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType",
                            context.getClassLoader())
                    || !Actuator.hasPort(context.getEnvironment());
        }
    }

    /** Actuator, which need not be there. */
    private static final class Actuator {

        static boolean hasPort(Environment environment) {
            return ManagementPortType.get(environment) == ManagementPortType.DIFFERENT;
        }
    }
}
