package io.limiter.console;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** Serves the console on {@code management.server.port}, beside Actuator's endpoints, if that is another port. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "limiter.console.enabled")
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
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
