package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimiterFactory;
import io.limiter.Prefetch;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.RecordingLimiterFactory.Built;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

/** Limits with settings in {@code limiter.limits}. */
class NamedLimitsTest {

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();
    private final ApplicationContextRunner runner =
            Contexts.plain().withBean(LimiterFactory.class, () -> factory).withBean(Api.class);

    static class Api {

        @RateLimit(name = "api-search", rate = 5, burst = 2, timeout = 0.5)
        public void search() {}

        @CountLimit(name = "export", limit = 3, per = "1m")
        public void export() {}

        @CountLimit(name = "daily", limit = 3, per = "day", zone = "Europe/Berlin")
        public void daily() {}

        @ConcurrentLimit(name = "report", limit = 2, lease = 20)
        public void report(Runnable work) {
            work.run();
        }

        @RateLimit(name = "untouched", rate = 7)
        public void untouched() {}
    }

    static class Asking {

        Asking(LimiterFactory limiters) {
            limiters.rateLimiter("asked-for");
        }
    }

    @Test
    void configuration_wins_and_leaves_the_rest_as_it_is() {
        builds(new Built("rateLimit:", "api-search", TokenBucket.of(50, 2)), "limiter.limits.api-search.rate=50");
        builds(
                new Built("countLimit:", "export", FixedWindow.of(3, Duration.ofHours(1))),
                "limiter.limits.export.per=1h");
        builds(new Built("rateLimit:", "untouched", TokenBucket.perSecond(7)), "limiter.limits.export.limit=4");
    }

    @Test
    void every_parameter_of_a_token_bucket_can_be_configured() {
        builds(
                new Built(
                        "rateLimit:",
                        "api-search",
                        TokenBucket.of(100, 60).withMaxWait(Duration.ofHours(2)).withExpire(Duration.ofMinutes(5)),
                        Prefetch.of(Duration.ofMillis(200)).withCallsPerSecond(1_000)),
                "limiter.limits.api-search.kind=token-bucket",
                "limiter.limits.api-search.rate=100",
                "limiter.limits.api-search.burst=PT1M",
                "limiter.limits.api-search.timeout=2h",
                "limiter.limits.api-search.expire=300",
                "limiter.limits.api-search.prefetch-time=200ms",
                "limiter.limits.api-search.prefetch-calls=1000");
    }

    @Test
    void a_duration_takes_the_place_of_the_calendar_with_its_zone() {
        FixedWindow daily = FixedWindow.of(3, Duration.ofDays(1));
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        builds(
                new Built("countLimit:", "daily", FixedWindow.of(3, CalendarPeriod.DAY.in(berlin))),
                "limiter.limits.daily.limit=3");
        builds(new Built("countLimit:", "daily", daily), "limiter.limits.daily.per=1d");
        builds(
                new Built("countLimit:", "daily", FixedWindow.of(3, CalendarPeriod.HOUR.in(berlin))),
                "limiter.limits.daily.per=hour");
        builds(
                new Built("countLimit:", "export", FixedWindow.of(3, CalendarPeriod.DAY)),
                "limiter.limits.export.per=day");
        builds(
                new Built("countLimit:", "export", FixedWindow.of(3, Duration.ofSeconds(900))),
                "limiter.limits.export.per=900");
    }

    @Test
    void a_number_of_yaml_is_seconds() {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("yaml", Map.of("limiter.limits.export.per", 60))))
                .run(context -> assertThat(factory.built())
                        .contains(new Built("countLimit:", "export", FixedWindow.of(3, Duration.ofMinutes(1)))));
    }

    @Test
    void a_warm_up_takes_the_place_of_the_burst() {
        builds(
                new Built(
                        "rateLimit:",
                        "api-search",
                        TokenBucket.perSecond(5).withWarmUp(WarmUp.of(Duration.ofSeconds(10)))),
                "limiter.limits.api-search.warm-up=10s");
    }

    @Test
    void another_kind_has_keys_of_its_own() {
        builds(
                new Built("countLimit:", "api-search", FixedWindow.of(9, Duration.ofMinutes(1))),
                "limiter.limits.api-search.kind=fixed-window",
                "limiter.limits.api-search.limit=9",
                "limiter.limits.api-search.per=1m");
        builds(
                new Built("rateLimit:", "export", TokenBucket.perSecond(2)),
                "limiter.limits.export.kind=token-bucket",
                "limiter.limits.export.rate=2");
    }

    @Test
    void every_kind_can_be_configured() {
        builds(
                new Built(
                        "countLimit:",
                        "export",
                        FixedWindow.of(100, CalendarPeriod.DAY.in(ZoneId.of("Europe/Berlin")))),
                "limiter.limits.export.limit=100",
                "limiter.limits.export.per=day",
                "limiter.limits.export.zone=Europe/Berlin");
        builds(
                new Built(
                        "countLimit:",
                        "export",
                        FixedWindow.of(100, CalendarPeriod.MONTH.from(LocalDate.of(2026, 1, 15)))),
                "limiter.limits.export.limit=100",
                "limiter.limits.export.per=month",
                "limiter.limits.export.anchor=2026-01-15");
        builds(
                new Built("countLimit:", "export", SlidingLog.of(5, Duration.ofHours(1))),
                "limiter.limits.export.kind=sliding-log",
                "limiter.limits.export.limit=5",
                "limiter.limits.export.per=PT1H");
        builds(
                new Built("countLimit:", "export", SlidingCounter.of(5, Duration.ofHours(1))),
                "limiter.limits.export.kind=sliding-counter",
                "limiter.limits.export.limit=5",
                "limiter.limits.export.per=1h");
        builds(
                new Built("rateLimit:", "api-search", LeakyBucket.meter(5, 20)),
                "limiter.limits.api-search.kind=leaky-bucket",
                "limiter.limits.api-search.capacity=20",
                "limiter.limits.api-search.rate=5");
        builds(
                new Built("rateLimit:", "api-search", LeakyBucket.queue(5, 20)),
                "limiter.limits.api-search.kind=leaky-queue",
                "limiter.limits.api-search.capacity=20",
                "limiter.limits.api-search.rate=5");
    }

    static class Kinds {

        @CountLimit(name = "log", kind = CountLimit.Kind.SLIDING_LOG, limit = 5, per = "1m")
        public void log() {}

        @CountLimit(name = "counter", kind = CountLimit.Kind.SLIDING_COUNTER, limit = 5, per = "1m")
        public void counter() {}

        @RateLimit(name = "meter", kind = RateLimit.Kind.LEAKY_BUCKET, rate = 30, per = "1m", capacity = 20)
        public void meter() {}

        @RateLimit(name = "queue", kind = RateLimit.Kind.LEAKY_QUEUE, rate = 5, capacity = 20)
        public void queue() {}
    }

    @Test
    void an_annotation_chooses_the_kind_with_the_keys_of_a_configured_one() {
        buildsKind(new Built("countLimit:", "log", SlidingLog.of(5, Duration.ofMinutes(1))));
        buildsKind(new Built("countLimit:", "counter", SlidingCounter.of(5, Duration.ofMinutes(1))));
        buildsKind(new Built("rateLimit:", "meter", LeakyBucket.meter(0.5, 20)));
        buildsKind(new Built("rateLimit:", "queue", LeakyBucket.queue(5, 20)));
    }

    @Test
    void configuration_wins_over_the_kind_of_an_annotation() {
        buildsKind(
                new Built("countLimit:", "log", SlidingLog.of(7, Duration.ofMinutes(1))), "limiter.limits.log.limit=7");
        buildsKind(
                new Built("countLimit:", "log", FixedWindow.of(7, Duration.ofHours(1))),
                "limiter.limits.log.kind=fixed-window",
                "limiter.limits.log.limit=7",
                "limiter.limits.log.per=1h");
        buildsKind(
                new Built("rateLimit:", "queue", TokenBucket.perSecond(3)),
                "limiter.limits.queue.kind=token-bucket",
                "limiter.limits.queue.rate=3");
        buildsKind(
                new Built("countLimit:", "queue", SlidingLog.of(3, Duration.ofMinutes(1))),
                "limiter.limits.queue.kind=sliding-log",
                "limiter.limits.queue.limit=3",
                "limiter.limits.queue.per=1m");
    }

    @Test
    void a_setting_without_effect_on_the_kind_of_the_annotation_fails_at_startup() {
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Kinds.class)
                .withPropertyValues("limiter.limits.queue.burst=2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("burst has no effect on kind leaky-queue"));
    }

    private void buildsKind(Built expected, String... properties) {
        factory.built().clear();
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Kinds.class)
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(factory.built()).contains(expected);
                });
    }

    @Test
    void every_parameter_of_a_concurrency_limit_can_be_configured() {
        builds(
                new Built("concurrentLimit:", "report", ConcurrencyLimit.of(5).withLeaseTime(Duration.ofSeconds(20))),
                "limiter.limits.report.limit=5");
        builds(
                new Built("concurrentLimit:", "report", ConcurrencyLimit.of(2).withLeaseTime(Duration.ofMinutes(1))),
                "limiter.limits.report.kind=concurrent",
                "limiter.limits.report.lease=60");
    }

    @Test
    void a_call_waits_for_its_permit_up_to_the_configured_timeout() {
        runner.withPropertyValues("limiter.limits.report.limit=1", "limiter.limits.report.timeout=1d")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    CountDownLatch running = new CountDownLatch(1);
                    CountDownLatch end = new CountDownLatch(1);
                    Thread first = new Thread(() -> api.report(() -> {
                        running.countDown();
                        Uninterruptibles.awaitUninterruptibly(end);
                    }));
                    first.start();
                    running.await();
                    CompletableFuture<Void> second =
                            CompletableFuture.runAsync(() -> api.report(() -> {}), work -> new Thread(work).start());
                    assertThat(second).isNotDone();
                    end.countDown();
                    second.get(1, TimeUnit.MINUTES);
                });
    }

    static class OneName {

        @ConcurrentLimit(limit = 1, name = "both")
        public void held() {}

        @CountLimit(name = "both", limit = 3, per = "1m")
        public void counted() {}
    }

    @Test
    void a_name_of_a_concurrency_limit_and_another_limit_cannot_be_configured() {
        Contexts.local()
                .withBean(OneName.class)
                .run(context -> assertThat(context).hasNotFailed());
        Contexts.local()
                .withBean(OneName.class)
                .withPropertyValues("limiter.limits.both.limit=5")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("the name is that of a @ConcurrentLimit and of another limit"));
    }

    @Test
    void a_limit_can_be_in_shadow_mode() {
        runner.withPropertyValues("limiter.limits.export.limit=1", "limiter.limits.export.enforce=false")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    api.export();
                    api.export();
                });
    }

    @Test
    void a_name_without_an_annotation_logs_a_warning() {
        try (LogLines log = new LogLines("io.limiter.spring.internal.settings.ConfiguredLimits")) {
            runner.withPropertyValues(
                            "limiter.limits.export.limit=4",
                            "limiter.limits.report.limit=4",
                            "limiter.limits.exprot.limit=4")
                    .run(
                            context -> assertThat(log.all())
                                    .singleElement(as(STRING))
                                    .isEqualTo(
                                            "WARN limiter.limits.exprot.* has no effect, because no @RateLimit, @CountLimit or"
                                                    + " @ConcurrentLimit of a bean so far has this name: did you mean 'export'?"));
        }
        try (LogLines log = new LogLines("io.limiter.spring.internal.settings.ConfiguredLimits")) {
            runner.withPropertyValues(
                            "limiter.limits.of-code.rate=4",
                            "limiter.limits.asked-for.rate=4",
                            "limiter.limits.incomplete.enforce=true")
                    .withBean(Asking.class)
                    .run(context -> assertThat(log.all())
                            .containsExactly(
                                    "WARN limiter.limits.incomplete.* has no effect, because no @RateLimit, @CountLimit or"
                                            + " @ConcurrentLimit of a bean so far has this name, and it is not a complete limit,"
                                            + " which code could ask for.",
                                    "INFO limiter.limits.* has limits without an annotation, which code can ask a"
                                            + " LimiterFactory for by their names: [of-code]"));
        }
        try (LogLines log = new LogLines("io.limiter.spring.internal.settings.ConfiguredLimits")) {
            runner.withPropertyValues("limiter.limits.export.limit=4")
                    .run(context -> assertThat(log.all()).isEmpty());
        }
    }

    @Test
    void prefetch_with_a_warm_up_fails_at_startup() {
        runner.withPropertyValues("limiter.limits.api-search.warm-up=10s", "limiter.limits.api-search.prefetch-time=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("prefetch-time has no effect with warm-up PT10S"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "api-search.rate=0 | limiter.limits.api-search.rate must be between 1.1574074074074074E-8 and 1.0E9, was 0.0",
                "api-search.rate=NaN | limiter.limits.api-search.rate must be between 1.1574074074074074E-8 and 1.0E9, was NaN",
                "api-search.rate=fast | limiter.limits.api-search.rate",
                "api-search.burst=0 | limiter.limits.api-search.burst must be between PT0.000000001S",
                "api-search.warm-up=0 | limiter.limits.api-search.warm-up must be between PT0.000001S",
                "api-search.timeout=-1s | limiter.limits.api-search.timeout must be between PT0S",
                "api-search.expire=0 | limiter.limits.api-search.expire must be between PT0.001S",
                "api-search.prefetch-time=11s | limiter.limits.api-search.prefetch-time must be between PT0.01S and PT10S",
                "api-search.prefetch-calls=0 | limiter.limits.api-search.prefetch-calls must be between 1",
                "api-search.prefetch-calls=9 | prefetch-calls has no effect without prefetch-time",
                "export.limit=0 | limiter.limits.export.limit must be between 1 and 9007199254740991, was 0",
                "export.per=1001d | limiter.limits.export.per",
                "export.per=soon | limiter.limits.export.per",
                "export.anchor=15 | limiter.limits.export.anchor",
                "api-search.per=day | a rate does not follow the calendar",
                "export.zone=UTC | zone 'UTC' has no effect without a unit of the calendar: set per to one, such as day or month",
                "export.zone=Berlin | limiter.limits.export.zone",
                "export.enforce=maybe | limiter.limits.export.enforce",
                "export.kind=bucket | Failed to bind properties under 'limiter.limits.export.kind'",
                "unused.kind=x | Failed to bind properties under 'limiter.limits.unused.kind'",
                "export.rate=1 | with limiter.limits.export.*: rate has no effect on kind fixed-window, which has anchor, limit",
                "export.kind=token-bucket | with limiter.limits.export.*: rate must be set",
                "api-search.kind=fixed-window | with limiter.limits.api-search.*: limit must be set",
                "api-search.rate=0.001 | with limiter.limits.api-search.*: a cost of 1 would never be granted: capacity must be at least 1 permit (at 0.001/s a burst of 1000.0 s), or timeout at least",
                "report.limit=1001 | with limiter.limits.report.*: limit must be between 1 and 1000, was 1001",
                "report.lease=10ms | limiter.limits.report.lease must be between PT0.1S",
                "report.rate=1 | with limiter.limits.report.*: rate has no effect on kind concurrent, which has lease, limit, timeout",
                "report.kind=fixed-window | with limiter.limits.report.*: kind must be concurrent or not set for a @ConcurrentLimit, was 'fixed-window'",
                "export.kind=concurrent | with limiter.limits.export.*: kind concurrent is for a @ConcurrentLimit",
                "api-search.lease=1s | with limiter.limits.api-search.*: lease has no effect on kind token-bucket",
                "api-search.rat=1 | limiter.limits.api-search.rat"
            })
    void bad_settings_fail_at_startup(String setting, String problem) {
        runner.withPropertyValues("limiter.limits." + setting).run(context -> {
            assertThat(context).hasFailed();
            StringBuilder messages = new StringBuilder();
            for (Throwable e = context.getStartupFailure(); e != null; e = e.getCause()) {
                messages.append(e.getMessage()).append('\n');
            }
            assertThat(messages.toString()).contains(problem);
        });
    }

    private void builds(Built expected, String... properties) {
        factory.built().clear();
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(factory.built()).contains(expected);
        });
    }
}
