package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.settings.InvalidSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application with a LimiterFactory that is none of this library starts only with limits that it can decide. */
class ForeignFactoryTest {

    private static final String PROBLEM = "several limits, chargeOn and settle need a LimiterFactory of this library,"
            + " or one that forwards to it, and its limiter is a ";

    static class One {

        @CountLimit(name = "one", limit = 1, period = 1)
        public void call() {}
    }

    static class Several {

        @CountLimit(name = "one", limit = 1, period = 1)
        @CountLimit(name = "other", limit = 9, per = "1m")
        public void call() {}
    }

    static class Charged {

        @CountLimit(name = "charged", limit = 1, period = 1, chargeOn = "failure")
        public void call() {}
    }

    @Test
    void one_limit_starts() {
        Contexts.plain()
                .withBean(LimiterFactory.class, HeldDecisions::new)
                .withBean(One.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(classes = {Several.class, Charged.class})
    void a_limit_that_needs_a_set_fails_at_startup(Class<?> limited) {
        Contexts.plain()
                .withBean(LimiterFactory.class, HeldDecisions::new)
                .withBean(limited)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith(PROBLEM)
                        .hasMessageEndingWith(": define such a LimiterFactory bean, or use one limit without them"));
    }

    @Test
    void it_fails_at_startup_in_shadow_mode_too() {
        Contexts.plain()
                .withBean(LimiterFactory.class, HeldDecisions::new)
                .withBean(Charged.class)
                .withPropertyValues("limiter.limits.charged.enforce=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(IllegalArgumentException.class)
                        .hasStackTraceContaining(InvalidLimitException.class.getName())
                        .hasStackTraceContaining(PROBLEM));
    }

    @ParameterizedTest
    @ValueSource(strings = {"limits.two.rate=9", "charge-on=failure"})
    void a_rule_that_needs_a_set_fails_at_startup(String setting) {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withBean(LimiterFactory.class, HeldDecisions::new)
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.limits.one.limit=1",
                        "limiter.http.api.limits.one.per=1s",
                        "limiter.http.api." + setting)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                InvalidSettingException.class.getName() + ": limiter.http.api: " + PROBLEM));
    }
}
