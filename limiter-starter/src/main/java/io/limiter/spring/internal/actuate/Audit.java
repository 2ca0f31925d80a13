package io.limiter.spring.internal.actuate;

import java.util.Map;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.ClassUtils;

/** Publishes audit events, if the application has Actuator. */
public final class Audit {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.boot.actuate.audit.listener.AuditApplicationEvent", Audit.class.getClassLoader());

    private Audit() {}

    /**
     * Publishes an audit event; does nothing without Actuator.
     *
     * @param who has caused it
     */
    public static void publish(ApplicationEventPublisher events, String who, String type, Map<String, Object> data) {
        if (PRESENT) {
            // Not as an ApplicationEvent, whose class need not be there.
            Object event = new AuditApplicationEvent(who, type, data);
            events.publishEvent(event);
        }
    }
}
