package io.limiter.spring.autoconfigure;

import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.LimitSettings;
import io.limiter.spring.settings.RefreshableSettings;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;

/**
 * Reads {@code limiter.limits} and other {@link RefreshableSettings} again when Spring Cloud has changed the environment. If one
 * setting of a sort is invalid, all of that sort stay as they are. The events are known by name, because Spring Cloud has a release of
 * its own for each line of Spring Boot.
 */
final class ConfiguredLimitsRefresh implements SmartApplicationListener {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLimitsRefresh.class);

    private static final Set<String> EVENTS = Set.of(
            "org.springframework.cloud.context.environment.EnvironmentChangeEvent",
            "org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent");

    private final PropertyNames names;
    private final Environment environment;
    private final LimitAdvisor advisor;
    private final ObjectProvider<RefreshableSettings> others;
    private Map<String, LimitSettings> applied;

    ConfiguredLimitsRefresh(
            PropertyNames names,
            Environment environment,
            LimitAdvisor advisor,
            ObjectProvider<RefreshableSettings> others) {
        this.names = names;
        this.environment = environment;
        this.advisor = advisor;
        this.others = others;
        this.applied = ConfiguredLimits.read(names.binder(environment));
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
        return EVENTS.contains(eventType.getName());
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        refresh();
    }

    private synchronized void refresh() {
        try {
            names.check(environment);
        } catch (RuntimeException e) {
            log.error("The changed properties are invalid, all limits and rules stay as they were: {}", problem(e));
            return;
        }
        try {
            refreshLimits();
        } catch (RuntimeException e) {
            log.error("The changed limiter.limits are invalid, all limits stay as they were: {}", problem(e));
        }
        try {
            others.forEach(ConfiguredLimitsRefresh::refresh);
        } catch (RuntimeException e) {
            // Of a lazy bean that is created only now.
            log.error("The changed properties are invalid, some stay as they were: {}", problem(e));
        }
    }

    private static void refresh(RefreshableSettings settings) {
        try {
            if (settings.refresh()) {
                log.info("{} was read again, and applies.", settings.property());
            }
        } catch (RuntimeException e) {
            log.error("The changed {} is invalid, all of it stays as it was: {}", settings.property(), problem(e));
        }
    }

    private void refreshLimits() {
        Map<String, LimitSettings> settings = ConfiguredLimits.read(names.binder(environment));
        if (!settings.equals(applied)) {
            advisor.reconfigure(new ConfiguredLimits(settings));
            log.info("limiter.limits were read again, and apply to {}.", changed(applied, settings));
            applied = settings;
        }
    }

    /** A failure to bind names the setting, and its cause the problem. */
    private static String problem(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        String cause = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
        return cause == null || message.contains(cause) ? message : message + ": " + cause;
    }

    private static Set<String> changed(Map<String, LimitSettings> before, Map<String, LimitSettings> after) {
        Set<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        names.removeIf(name -> Objects.equals(before.get(name), after.get(name)));
        return names;
    }
}
