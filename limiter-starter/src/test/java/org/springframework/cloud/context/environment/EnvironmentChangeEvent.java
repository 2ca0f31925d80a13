package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** As Spring Cloud's, which has a release of its own for each line of Spring Boot. */
public final class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public EnvironmentChangeEvent(Set<String> keys) {
        super(keys);
    }
}
