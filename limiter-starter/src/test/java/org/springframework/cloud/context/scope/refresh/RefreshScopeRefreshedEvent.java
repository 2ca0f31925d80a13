package org.springframework.cloud.context.scope.refresh;

import org.springframework.context.ApplicationEvent;

/** As Spring Cloud's. */
public final class RefreshScopeRefreshedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public RefreshScopeRefreshedEvent() {
        super("refreshAll");
    }
}
