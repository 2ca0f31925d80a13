package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Several limits on one method, and the window of a time zone. */
class SeveralLimitsTest {

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();

    private final ApplicationContextRunner runner = Contexts.plain()
            .withPropertyValues("limiter.limits.free.enforce=false")
            .withBean(LimiterFactory.class, () -> factory);

    static class Several {

        @CountLimit(limit = 3, per = "1m", message = "count")
        @RateLimit(rate = 1, burst = 2, message = "first")
        @RateLimit(rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM, key = "#{who}", message = "second")
        public void call(String who) {}
    }

    @Test
    void several_limits_are_all_or_nothing() {
        run(Several.class, bean -> {
            bean.call("a");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.call("a"))
                    .withMessage("second")
                    .satisfies(e -> assertThat(e.decision().retryAfterMicros()).isGreaterThan(50_000_000));
            // The rejected call has taken nothing from the first.
            bean.call("b");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.call("c"))
                    .withMessage("first");
            String name = Several.class.getName() + ".call(java.lang.String)";
            assertThat(factory.names()).containsExactly(name, name + "/2", name);
        });
    }

    static class SamePermitsTwice {

        @RateLimit(name = "once", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{from}")
        @RateLimit(
                name = "once",
                rate = 1.0 / 60,
                burst = 120,
                expire = 90,
                limitType = LimitType.CUSTOM,
                key = "#{to}")
        public void call(String from, String to) {}
    }

    @Test
    void two_equal_keys_of_a_call_take_permits_twice() {
        run(SamePermitsTwice.class, bean -> {
            bean.call("a", "a");
            rejected(() -> bean.call("b", "a"));
            // The rejected call has taken nothing of b: other keys are other permits.
            bean.call("b", "c");
            bean.call("b", "d");
            rejected(() -> bean.call("b", "e"));
        });
    }

    static class SamePermitsFirstAndLast {

        @RateLimit(name = "once", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{from}")
        @RateLimit(name = "other", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{from}")
        @RateLimit(name = "once", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{to}")
        public void call(String from, String to) {}
    }

    @Test
    void equal_keys_need_not_be_next_to_each_other() {
        run(SamePermitsFirstAndLast.class, bean -> {
            bean.call("a", "a");
            rejected(() -> bean.call("b", "a"));
        });
    }

    static class OtherNames {

        @RateLimit(name = "large", rate = 1.0 / 60, burst = 120)
        @RateLimit(name = "small", rate = 1.0 / 60, burst = 60)
        public void both() {}

        @RateLimit(name = "large", rate = 1.0 / 60, burst = 120)
        public void large() {}

        @RateLimit(name = "later", rate = 1.0 / 60, burst = 120)
        @CountLimit(limit = 9, per = "1h")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @Test
    void limits_of_different_names_have_different_permits() {
        run(OtherNames.class, bean -> {
            bean.both();
            rejected(bean::both);
            bean.large();
            rejected(bean::large);
        });
    }

    @Test
    void the_call_of_a_future_takes_permits_once() {
        run(OtherNames.class, bean -> {
            assertThat(bean.later()).isCompletedWithValue("done");
            assertThat(bean.later()).isCompletedWithValue("done");
            assertThat(bean.later()).isCompletedExceptionally();
        });
    }

    static class InOneSlot {

        @RateLimit(
                name = "users",
                rate = 1,
                burst = 2,
                limitType = LimitType.CUSTOM,
                key = {"#{tenant}", "#{user}"})
        @CountLimit(name = "tenants", limit = 3, per = "1m", limitType = LimitType.CUSTOM, key = "#{tenant}")
        public void both(String tenant, String user) {}

        @CountLimit(
                period = 1,
                name = "alone",
                limit = 1,
                limitType = LimitType.CUSTOM,
                key = {"#{tenant}", "#{user}"})
        public CompletableFuture<String> alone(String tenant, String user) {
            return CompletableFuture.completedFuture(user);
        }

        @RateLimit(
                rate = 1,
                name = "free",
                limitType = LimitType.CUSTOM,
                key = {"#{tenant}", "#{user}"},
                timeout = 1)
        public void free(String tenant, String user) {}
    }

    static class Paths {

        @CountLimit(
                name = "path",
                limit = 1,
                per = "1h",
                key = {"#{tenant}", "#{user}"})
        @CountLimit(name = "first", limit = 3, per = "1h", key = "#{tenant}")
        public void call(String tenant, String user) {}

        @ConcurrentLimit(
                name = "held-path",
                limit = 1,
                key = {"#{tenant}", "#{user}"})
        public void held(String tenant, String user, Runnable inside) {
            inside.run();
        }
    }

    @Test
    void several_keys_are_a_path() {
        Contexts.local().withBean(Paths.class).run(context -> {
            Paths bean = context.getBean(Paths.class);
            bean.call("acme", "a#b");
            bean.call("acme#a", "b");
            rejected(() -> bean.call("acme", "a#b"));
            bean.call("acme", "b");
            LimiterFactory limiters = context.getBean(LimiterFactory.class);
            Limiter same = limiters.with(LimiterOptions.NONE.withPrefix("countLimit:"))
                    .build("path", FixedWindow.of(1, Duration.ofHours(1)));
            assertThat(same.on("acme").on("a#b").peek().isGranted()).isFalse();
            assertThat(same.on("acme").on("a").peek().isGranted()).isTrue();
            bean.held("acme", "a", () -> {
                rejected(() -> bean.held("acme", "a", () -> {}));
                bean.held("acme", "b", () -> {});
                assertThat(limiters.with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                                .build("held-path", ConcurrencyLimit.of(1))
                                .on("acme")
                                .on("a")
                                .inUse())
                        .isOne();
            });
        });
    }

    @Test
    void limits_with_the_same_first_key_are_one_call() {
        run(InOneSlot.class, bean -> {
            bean.both("acme", "a");
            bean.both("acme", "a");
            rejected(() -> bean.both("acme", "a"));
            bean.both("acme", "b");
            rejected(() -> bean.both("acme", "b"));
            assertThat(left(factory, "countLimit:", "tenants", limiter -> limiter.on("acme")))
                    .isEqualTo(0);
            // Rejected by the tenant's, and so not taken.
            assertThat(left(
                            factory,
                            "rateLimit:",
                            "users",
                            limiter -> limiter.on("acme").on("b")))
                    .isEqualTo(1);
            assertThat(left(factory, "rateLimit:", "users", limiter -> limiter.on("b")))
                    .isEqualTo(2);
        });
    }

    @Test
    void permits_are_under_their_path_of_keys() {
        run(InOneSlot.class, bean -> {
            assertThat(bean.alone("acme", "a")).isCompletedWithValue("a");
            assertThat(bean.alone("acme", "a"))
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(RateLimitExceededException.class);
            assertThat(left(
                            factory,
                            "countLimit:",
                            "alone",
                            limiter -> limiter.on("acme").on("a")))
                    .isEqualTo(0);
            bean.free("acme", "a");
            bean.free("acme", "a");
            assertThat(left(
                            factory,
                            "rateLimit:",
                            "free",
                            limiter -> limiter.on("acme").on("a")))
                    .isEqualTo(0);
        });
    }

    private long left(LimiterFactory limiters, String prefix, String name, UnaryOperator<Limiter> part) {
        Limit limit = (Limit) factory.built().stream()
                .filter(built -> built.name().equals(name))
                .findFirst()
                .orElseThrow()
                .limit();
        Limiter limiter = limiters.with(LimiterOptions.NONE.withPrefix(prefix)).build(name, limit);
        return LimitSet.of(part.apply(limiter)).peek(1).decision().remaining();
    }

    static class DailyByTheClock {

        @CountLimit(limit = 1, per = "day", zone = "Pacific/Auckland")
        public void call() {}
    }

    @Test
    void a_zone_aligns_the_window() {
        run(DailyByTheClock.class, bean -> {
            bean.call();
            rejected(bean::call);
            assertThat(factory.built().get(0).limit())
                    .isEqualTo(FixedWindow.of(1, CalendarPeriod.DAY.in(ZoneId.of("Pacific/Auckland"))));
        });
    }

    private <B> void run(Class<B> type, Consumer<B> test) {
        runner.withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(type));
        });
    }

    private static void rejected(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }
}
