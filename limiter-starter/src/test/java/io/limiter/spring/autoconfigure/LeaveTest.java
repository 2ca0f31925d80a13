package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.Eventually;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Limits with {@code leave}, in annotations and in {@code limiter.limits}. */
class LeaveTest {

    private final ApplicationContextRunner runner = Contexts.local().withBean(Api.class);

    static class Api {

        @RateLimit(name = "reports", rate = 10, per = "1h", leave = "20%")
        public void background() {}

        @RateLimit(name = "reports", rate = 10, per = "1h")
        public void report() {}

        @RateLimit(name = "waiting", rate = 100, leave = "90%", timeout = 100)
        public void waiting() {}

        @CountLimit(name = "quota", limit = 10, per = "1h", key = "#{user}", plan = "#{plan}")
        public void use(String user, String plan) {}

        @RateLimit(name = "bucket", rate = 10, key = "#{user}", plan = "#{plan}")
        public void bucket(String user, String plan) {}
    }

    static class Shared {

        @CountLimit(name = "all", limit = 10, per = "1h", plan = "#{plan}")
        public void all(String plan) {}
    }

    private static IntSupplier callsOf(Runnable call) {
        return () -> {
            for (int calls = 0; ; calls++) {
                try {
                    call.run();
                } catch (RateLimitExceededException e) {
                    return calls;
                }
            }
        };
    }

    @Test
    void an_annotation_leaves_permits_to_another_of_its_name() {
        runner.run(context -> {
            Api api = context.getBean(Api.class);
            assertThat(callsOf(api::background).getAsInt()).isEqualTo(8);
            assertThat(callsOf(api::report).getAsInt()).isEqualTo(2);
        });
    }

    @Test
    void configuration_overrides_the_annotation_and_is_for_code_too() {
        runner.withPropertyValues(
                        "limiter.limits.reports.leave=5",
                        "limiter.limits.code.limit=10",
                        "limiter.limits.code.per=1h",
                        "limiter.limits.code.leave=1")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    assertThat(callsOf(api::background).getAsInt()).isEqualTo(5);
                    Limiter limiter = context.getBean(LimiterFactory.class).limiter("code");
                    assertThat(limiter.tryAcquireUpTo(10)).isEqualTo(9);
                });
    }

    @Test
    void in_shadow_mode_it_counts_those_as_granted_who_would_have_waited() {
        runner.withPropertyValues("limiter.limits.waiting.enforce=false").run(context -> {
            Api api = context.getBean(Api.class);
            for (int i = 0; i < 12; i++) {
                api.waiting();
            }
            LimiterFactory limiters = context.getBean(LimiterFactory.class);
            Eventually.that(() -> assertThat(limiters.statistics().totals())
                    .filteredOn(totals -> totals.name().equals("waiting"))
                    .extracting(LimiterTotals::granted, LimiterTotals::rejected)
                    .containsExactly(tuple(12L, 0L)));
        });
    }

    @Test
    void callers_who_share_permits_can_have_plans_that_only_leave_some() {
        runner.withBean(Shared.class)
                .withPropertyValues(
                        "limiter.limits.all.leave=20%",
                        "limiter.limits.all.plans.free.leave=40%", "limiter.limits.all.plans.pro.leave=0")
                .run(context -> {
                    Shared api = context.getBean(Shared.class);
                    assertThat(callsOf(() -> api.all("free")).getAsInt()).isEqualTo(6);
                    assertThat(callsOf(() -> api.all("")).getAsInt()).isEqualTo(2);
                    assertThat(callsOf(() -> api.all("pro")).getAsInt()).isEqualTo(2);
                });
    }

    @Test
    void a_plan_that_leaves_permits_takes_no_prefetched_ones() {
        runner.withPropertyValues(
                        "limiter.limits.bucket.prefetch-time=1s", "limiter.limits.bucket.plans.free.leave=20%")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    assertThat(callsOf(() -> api.bucket("ann", "free")).getAsInt())
                            .isEqualTo(8);
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quota.leave=20 % | limiter.limits.quota.leave: a share must be a percentage from 0% to 100%, such as 20%, or a number of permits, such as 20, was '20 %'",
                "quota.leave=10 | leave must leave the 1 permits of a call, of a capacity of 10, was 10",
                "quota.leave=100% | leave must leave the 1 permits of a call, of a capacity of 10, was 100%",
                "quota.plans.free.leave=10 | limiter.limits.quota.plans.free.*: leave must leave the 1 permits of a call, of a capacity of 10, was 10",
                "bucket.leave=5,bucket.plans.free.capacity=5 | limiter.limits.bucket.plans.free.*: leave must leave the 1 permits of a call, of a capacity of 5, was 5",
                "bucket.leave=1,bucket.prefetch-time=1s | leave and prefetch-time exclude each other, because prefetched permits are taken before it is known how many are left: remove one of them",
                "reports.prefetch-time=1s | leave and prefetch-time exclude each other",
                "bucket.warm-up=9s,bucket.leave=1 | leave has no effect on kind token-bucket with a warm-up: remove it",
            })
    void a_limit_that_cannot_leave_permits_fails_at_startup(String settings, String message) {
        String[] properties = settings.trim().split(",");
        for (int i = 0; i < properties.length; i++) {
            properties[i] = "limiter.limits." + properties[i];
        }
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining(message.trim());
        });
    }

    static class Refused {

        @CountLimit(name = "refused", limit = 10, per = "1h", leave = "ten")
        public void call() {}
    }

    @Test
    void an_annotation_with_another_text_fails_at_startup() {
        runner.withBean(Refused.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("leave: a share must be a percentage from 0% to 100%")
                        .hasStackTraceContaining("was 'ten'"));
    }
}
