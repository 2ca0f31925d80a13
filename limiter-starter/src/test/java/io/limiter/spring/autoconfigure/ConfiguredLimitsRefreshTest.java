package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;

/** What changes of annotated limits when Spring Cloud has changed the environment. */
class ConfiguredLimitsRefreshTest {

    static class Limited {

        @CountLimit(name = "count", limit = 3, per = "1h", limitType = LimitType.CUSTOM, key = "#{key}")
        public void count(String key) {}

        @CountLimit(name = "planned", limit = 1, per = "1h", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}

        @CountLimit(name = "other", limit = 3, per = "1h", limitType = LimitType.CUSTOM, key = "#{key}")
        public void other(String key) {}

        @RateLimit(name = "rate", rate = 20, capacity = 1, timeout = 60, limitType = LimitType.CUSTOM, key = "#{key}")
        public void rate(String key) {}

        @ConcurrentLimit(name = "held", limit = 1)
        public void held(Runnable inside) {
            inside.run();
        }
    }

    private final ChangingSettings settings = new ChangingSettings();

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        settings.in(Contexts.local().withBean(Limited.class)).run(test);
    }

    private static int granted(Limited limited) {
        String key = UUID.randomUUID().toString();
        int granted = 0;
        for (int i = 0; i < 6; i++) {
            try {
                limited.count(key);
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.keys()).containsExactly(key);
            }
        }
        return granted;
    }

    @Test
    void parameters_change_and_come_back() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            assertThat(granted(limited)).isEqualTo(3);
            settings.change(context, "limiter.limits.count.limit", 5);
            assertThat(granted(limited)).isEqualTo(5);
            settings.clear();
            ApplicationEvent refreshed = new RefreshScopeRefreshedEvent();
            context.publishEvent(refreshed);
            assertThat(granted(limited)).isEqualTo(3);
        });
    }

    @Test
    void plans_are_added_changed_and_removed() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            assertThat(grantedPro(limited)).isEqualTo(1);
            settings.change(context, "limiter.limits.planned.plans.pro.limit", 3);
            assertThat(grantedPro(limited)).isEqualTo(3);
            settings.change(context, "limiter.limits.planned.plans.pro.limit", 2);
            assertThat(grantedPro(limited)).isEqualTo(2);
            assertThat(totals(context, "planned.pro").limit().orElseThrow().capacity())
                    .isEqualTo(2);
            settings.change(context, "limiter.limits.planned.plans.pro.limit", 0);
            assertThat(grantedPro(limited)).as("an invalid one changes nothing").isEqualTo(2);
            settings.clear();
            settings.change(context, "limiter.limits.planned.limit", 4);
            assertThat(grantedPro(limited)).isEqualTo(4);
        });
    }

    private static int grantedPro(Limited limited) {
        String key = UUID.randomUUID().toString();
        int granted = 0;
        for (int i = 0; i < 6; i++) {
            try {
                limited.planned(key, "pro");
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.keys()).containsExactly(key);
            }
        }
        return granted;
    }

    @Test
    void permits_that_are_taken_stay_taken() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            limited.count("ann");
            limited.count("ann");
            settings.change(context, "limiter.limits.count.limit", 2);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.count("ann"));
            settings.change(context, "limiter.limits.count.limit", 3);
            limited.count("ann");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.count("ann"));
        });
    }

    @Test
    void shadow_mode_is_switched_on_and_off() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            settings.change(context, "limiter.limits.count.enforce", false);
            assertThat(granted(limited)).isEqualTo(6);
            settings.change(context, "limiter.limits.count.enforce", true);
            assertThat(granted(limited)).isEqualTo(3);
        });
    }

    @Test
    void the_timeout_changes() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            limited.rate("ann");
            limited.rate("ann");
            settings.change(context, "limiter.limits.rate.timeout", 0);
            settings.change(context, "limiter.limits.rate.rate", 0.001);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.rate("ann"));
        });
    }

    @Test
    void the_failure_policy_changes() {
        run(context -> {
            settings.change(context, "limiter.limits.count.on-failure", "throw");
            assertThat(totals(context, "count").failurePolicy()).contains(FailurePolicy.THROW);
        });
    }

    @Test
    void a_concurrency_limit_changes() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            Runnable nested = () -> limited.held(() -> limited.held(() -> {}));
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(nested::run);
            settings.change(context, "limiter.limits.held.limit", 2);
            assertThatCode(nested::run).doesNotThrowAnyException();
            settings.change(context, "limiter.limits.held.limit", 1);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(nested::run);
            settings.change(context, "limiter.limits.held.enforce", false);
            assertThatCode(nested::run).doesNotThrowAnyException();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.limits.count.limit, 0, limiter.limits.count.limit must be between 1",
        "limiter.limits.count.limit, many, limiter.limits.count.limit",
        "limiter.limits.count.kind, maybe, limiter.limits.count.kind",
        "limiter.limits.count.rate, 5, rate has no effect on kind fixed-window",
        "limiter.limits.rate.burst, 1ms, limiter.limits.rate",
    })
    void a_change_that_is_invalid_changes_nothing_and_is_logged(String name, String value, String problem) {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.limits.other.limit", 5);
                settings.put("limiter.limits.rate.timeout", 0);
                settings.change(context, name, value);
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("ERROR The changed limiter.limits are invalid, all limits stay as they were: ")
                        .contains(problem);
                assertThat(granted(limited)).isEqualTo(3);
                assertThat(totals(context, "other").limit().orElseThrow().capacity())
                        .isEqualTo(3);
                settings.remove(name);
                settings.change(context, "limiter.limits.count.limit", 4);
                assertThat(log.all()).last(as(STRING)).contains("apply to [count, other, rate]");
            }
            assertThat(granted(limited)).isEqualTo(4);
        });
    }

    @Test
    void the_kind_does_not_change() {
        run(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.limits.count.limit", 1);
                settings.put("limiter.limits.count.period", "1h");
                settings.change(context, "limiter.limits.count.kind", "sliding-log");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .contains("limiter.limits.count.kind cannot change while the application runs");
            }
            assertThat(granted(context.getBean(Limited.class))).isEqualTo(3);
        });
    }

    @Test
    void other_events_and_other_settings_change_nothing() {
        run(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.change(context, "limiter.order", 5);
                assertThat(log.all()).isEmpty();
            }
        });
    }

    @Test
    void a_bean_that_is_made_later_has_the_new_settings() {
        run(context -> {
            settings.change(context, "limiter.limits.late.limit", 2);
            Late limited = context.getAutowireCapableBeanFactory().createBean(Late.class);
            limited.call();
            limited.call();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::call);
            assertThat(totals(context, "late").limit()).contains(new FixedWindow(2, Duration.ofHours(1), null));
        });
    }

    static class Late {

        @CountLimit(name = "late", limit = 9, per = "1h")
        public void call() {}
    }

    private static LimiterTotals totals(ConfigurableApplicationContext context, String name) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
