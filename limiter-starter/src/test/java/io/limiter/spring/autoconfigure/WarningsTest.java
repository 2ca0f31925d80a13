package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimitWarningEvent;
import io.limiter.LimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.Eventually;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Limits with {@code warn-at} in {@code limiter.limits}. */
class WarningsTest {

    private final ApplicationContextRunner runner =
            Contexts.local().withBean(Api.class).withBean(Events.class);

    static class Api {

        @CountLimit(name = "quota", key = "#{user}", limit = 5, per = "month", plan = "#{plan}")
        public void use(String user, String plan) {}

        @RateLimit(name = "bucket", rate = 1, key = "#{user}")
        public void bucket(String user) {}
    }

    static class Shared {

        @CountLimit(name = "all", limit = 10, per = "1h", plan = "#{plan}")
        public void all(String plan) {}
    }

    static class Events {

        private final Queue<String> warnings = new ConcurrentLinkedQueue<>();

        @EventListener
        void on(LimitWarningEvent event) {
            assertThat(event.periodEnd()).isInTheFuture();
            warnings.add(event.limiter() + event.keys() + " " + event.used() + " of " + event.limit());
        }
    }

    @Test
    void a_window_warns_as_an_event_of_the_application() {
        runner.withPropertyValues(
                        "limiter.limits.quota.warn-at=60%",
                        "limiter.limits.quota.plans.pro.limit=20",
                        "limiter.limits.quota.plans.free.warn-at=1",
                        "limiter.limits.shadow.limit=1",
                        "limiter.limits.shadow.per=1h",
                        "limiter.limits.shadow.warn-at=1")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    for (int i = 0; i < 5; i++) {
                        api.use("ann", "");
                        api.use("bob", "free");
                    }
                    for (int i = 0; i < 12; i++) {
                        api.use("cid", "pro");
                    }
                    assertThat(context.getBean(LimiterFactory.class)
                                    .limiter("shadow")
                                    .tryAcquire())
                            .isTrue();
                    Queue<String> warnings = context.getBean(Events.class).warnings;
                    Eventually.that(() -> assertThat(warnings)
                            .containsExactlyInAnyOrder(
                                    "quota[ann] 3 of 5",
                                    "quota.free[bob] 1 of 5",
                                    "quota.pro[cid] 12 of 20",
                                    "shadow[] 1 of 1"));
                });
    }

    /** They are warned at different times of the same permits. */
    @Test
    void callers_who_share_permits_can_have_plans_that_only_warn() {
        runner.withBean(Shared.class)
                .withPropertyValues(
                        "limiter.limits.all.warn-at=1",
                        "limiter.limits.all.plans.quiet.warn-at=0",
                        "limiter.limits.all.plans.free.warn-at=2",
                        "limiter.limits.all.plans.pro.warn-at=30%")
                .run(context -> {
                    Shared api = context.getBean(Shared.class);
                    for (String plan : List.of("quiet", "pro", "free", "pro", "pro")) {
                        api.all(plan);
                    }
                    Queue<String> warnings = context.getBean(Events.class).warnings;
                    Eventually.that(
                            () -> assertThat(warnings).containsExactly("all.free[] 3 of 10", "all.pro[] 4 of 10"));
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quota.warn-at=80 % | limiter.limits.quota.warn-at: a share must be a percentage from 0% to 100%, such as 20%, or a number of permits, such as 20, was '80 %'",
                "quota.warn-at=6 | warn-at must be at most the limit of 5, was 6",
                "quota.warn-at=5,quota.plans.free.limit=4 | limiter.limits.quota.plans.free.*: warn-at must be at most the limit of 4, was 5",
                "quota.plans.free.warn-at=6 | limiter.limits.quota.plans.free.*: warn-at must be at most the limit of 5, was 6",
                "quota.kind=sliding-log,quota.per=1h,quota.warn-at=1 | warn-at has no effect on kind sliding-log, only a fixed-window warns: remove it",
                "bucket.warn-at=80% | warn-at has no effect on kind token-bucket, only a fixed-window warns: remove it",
                "all.plans.free.warn-at=2,all.plans.pro.limit=3 | plan would give callers different limits, but with limitType METHOD",
            })
    void a_limit_that_cannot_warn_fails_at_startup(String settings, String message) {
        String[] properties = settings.trim().split(",");
        for (int i = 0; i < properties.length; i++) {
            properties[i] = "limiter.limits." + properties[i];
        }
        ApplicationContextRunner used = settings.startsWith("all.") ? runner.withBean(Shared.class) : runner;
        used.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining(message.trim());
        });
    }

    @Test
    void a_limit_of_a_rule_that_is_no_window_has_no_warning() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.key=ip",
                        "limiter.http.api.limits.one.rate=1",
                        "limiter.http.api.limits.one.warn-at=80%")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(
                                "limiter.http.api.limits.one: warn-at has no effect on kind token-bucket"));
    }
}
