package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.text.DurationText;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Times and placeholders in annotations, and parameters that only configuration has. */
class AnnotationTextsTest {

    private static final String[] PROPERTIES = {
        "test.per=15m", "test.large=100", "test.tenant=acme", "test.name=named", "test.zone=UTC", "test.prefix=own:"
    };

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();

    private ApplicationContextRunner runner(Class<?> bean) {
        return Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withPropertyValues(PROPERTIES)
                .withBean(bean);
    }

    private Map<String, AnyLimit> built() {
        return factory.built().stream()
                .collect(Collectors.toMap(RecordingLimiterFactory.Built::name, RecordingLimiterFactory.Built::limit));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @CountLimit(name = "composed", limit = 3)
    @interface ThreeIn {

        @AliasFor(annotation = CountLimit.class, attribute = "per")
        String value();
    }

    @ParameterizedTest
    @ValueSource(strings = {"900", "+5", "-5s", "15m", "500ms", "1D", "7ns", "3us", "2h", "PT1H30M", "-PT5S", "p1d"})
    void durations_are_those_of_properties(String text) {
        assertThat(DurationText.parse("per", text)).isEqualTo(DurationStyle.detectAndParse(text, ChronoUnit.SECONDS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "1 m", "5w", "1h30m", "99999999999999999999", "1e400", "PT", "0.1s"})
    void what_is_no_duration_is_named(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse("per", text))
                .withMessage(
                        "per must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d), such as 900, 0.5,"
                                + " 15m or 500ms, was '" + text + "'");
    }

    static class Durations {

        @CountLimit(name = "minutes", limit = 3, per = "15m")
        public void minutes() {}

        @CountLimit(name = "number", limit = 3, period = 900)
        public void number() {}

        @CountLimit(name = "iso", limit = 3, per = "PT15M")
        public void iso() {}

        @CountLimit(name = "placeholder", limit = 3, per = "${test.per}")
        public void placeholder() {}

        @CountLimit(name = "fallback", limit = 3, per = "${test.none:15m}")
        public void fallback() {}

        @ThreeIn("15m")
        public void composed() {}

        @CountLimit(name = "minute", limit = 3, per = "minute")
        public void minute() {}

        @CountLimit(name = "hour", limit = 3, per = "hour", zone = "Asia/Kolkata")
        public void hour() {}

        @CountLimit(name = "day", limit = 3, per = "day", zone = "Europe/Berlin")
        public void day() {}

        @CountLimit(name = "fraction", limit = 3, period = 0.5)
        public void fraction() {}

        @CountLimit(name = "millis", limit = 3, per = "500ms")
        public void millis() {}

        @RateLimit(name = "per", rate = 1, per = "1m", expire = 7200)
        public void per() {}

        @RateLimit(name = "burst", rate = 1.0 / 60, burst = 60)
        public void burst() {}

        @RateLimit(name = "third", rate = 3, burst = 1.0 / 3)
        public void third() {}

        @ConcurrentLimit(name = "lease", limit = 3, lease = 60)
        public void lease() {}

        @ConcurrentLimit(name = "usual", limit = 3)
        public void usual() {}
    }

    @Test
    void numbers_are_seconds_and_per_is_a_duration_as_a_text_or_a_unit_of_the_calendar() {
        runner(Durations.class).run(context -> {
            assertThat(context).hasNotFailed();
            Map<String, AnyLimit> built = built();
            for (String name : new String[] {"minutes", "number", "iso", "placeholder", "fallback", "composed"}) {
                assertThat(built.get(name)).as(name).isEqualTo(FixedWindow.of(3, Duration.ofMinutes(15)));
            }
            for (String name : new String[] {"fraction", "millis"}) {
                assertThat(built.get(name)).as(name).isEqualTo(FixedWindow.of(3, Duration.ofMillis(500)));
            }
            assertThat(built.get("minute")).isEqualTo(calendar(CalendarPeriod.MINUTE, "UTC"));
            assertThat(built.get("hour")).isEqualTo(calendar(CalendarPeriod.HOUR, "Asia/Kolkata"));
            assertThat(built.get("day")).isEqualTo(calendar(CalendarPeriod.DAY, "Europe/Berlin"));
            assertThat(built.get("per"))
                    .isEqualTo(TokenBucket.per(1, Duration.ofMinutes(1)).withExpire(Duration.ofHours(2)));
            assertThat(built.get("burst")).isEqualTo(TokenBucket.of(1.0 / 60, 60));
            assertThat(built.get("third").capacity()).isEqualTo(1);
            assertThat(built.get("lease")).isEqualTo(ConcurrencyLimit.of(3).withLeaseTime(Duration.ofMinutes(1)));
            assertThat(built.get("usual")).isEqualTo(ConcurrencyLimit.of(3).withLeaseTime(Duration.ofSeconds(30)));
        });
    }

    private static FixedWindow calendar(CalendarPeriod period, String zone) {
        return FixedWindow.of(3, period.in(ZoneId.of(zone)));
    }

    static class Placeholders {

        @CountLimit(
                name = "${test.name}",
                prefix = "${test.prefix}",
                key = "${test.tenant}-#{who}",
                condition = "#{size > ${test.large}}",
                cost = "#{size - ${test.large}}",
                message = "too much for ${test.tenant}",
                limit = 2,
                per = "day",
                zone = "${test.zone}")
        public void call(String who, int size) {}
    }

    @Test
    void placeholders_of_texts_have_the_values_of_the_environment() {
        runner(Placeholders.class).run(context -> {
            assertThat(context).hasNotFailed();
            Placeholders bean = context.getBean(Placeholders.class);
            for (int i = 0; i < 3; i++) {
                bean.call("ann", 100);
            }
            bean.call("ann", 102);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.call("ann", 101))
                    .withMessage("too much for acme")
                    .satisfies(e -> assertThat(e.keys()).containsExactly("acme-ann"));
            assertThat(factory.built()).allSatisfy(built -> {
                assertThat(built.name()).isEqualTo("named");
                assertThat(built.prefix()).isEqualTo("own:");
            });
        });
    }

    static class Bare {

        @RateLimit(name = "rate")
        public void rate() {}

        @CountLimit(name = "count")
        public void count() {}

        @CountLimit(name = "half", per = "1h")
        public void half() {}

        @ConcurrentLimit(name = "held")
        public void held() {}
    }

    @Test
    void parameters_that_configuration_sets_the_annotation_need_not_set() {
        runner(Bare.class)
                .withPropertyValues(
                        "limiter.limits.rate.rate=5",
                        "limiter.limits.count.limit=3",
                        "limiter.limits.count.per=15m",
                        "limiter.limits.half.limit=3",
                        "limiter.limits.held.limit=3")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(built())
                            .containsEntry("rate", TokenBucket.perSecond(5))
                            .containsEntry("count", FixedWindow.of(3, Duration.ofMinutes(15)))
                            .containsEntry("half", FixedWindow.of(3, Duration.ofHours(1)))
                            .containsEntry("held", ConcurrencyLimit.of(3));
                });
    }

    static class Counted {

        @CountLimit(name = "count")
        public void count() {}
    }

    @Test
    void configuration_that_leaves_a_parameter_out_fails_at_startup() {
        runner(Counted.class)
                .withPropertyValues("limiter.limits.count.limit=3")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("per must be set in the annotation or limiter.limits.count, such as per = 15m"));
    }
}
