package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.RecordingLimiterFactory.Built;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.key.MissingLimitKeyException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The month of a subscription, which begins on the day of each customer. */
class AnchorOfCallTest {

    private static final CalendarPeriod MONTH = CalendarPeriod.MONTH.in(ZoneId.of("Europe/Berlin"));

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();
    private final ApplicationContextRunner runner =
            Contexts.plain().withBean(LimiterFactory.class, () -> factory).withBean(Api.class);

    record Customer(String id, @Nullable Object since) {}

    static class Api {

        @CountLimit(
                name = "quota",
                key = "#{customer.id}",
                limit = 1000,
                per = "month",
                zone = "Europe/Berlin",
                anchor = "#{customer.since}")
        public void call(Customer customer) {}
    }

    static class Far {

        @CountLimit(
                name = "far",
                key = "#{customer.id}",
                limit = 1000,
                per = "month",
                zone = "Etc/GMT+12",
                anchor = "#{customer.since}")
        public void call(Customer customer) {}
    }

    static Stream<Arguments> anchors() {
        LocalDate date = LocalDate.of(2024, 1, 31);
        // In Berlin it is the next day already.
        Instant evening = Instant.parse("2024-01-30T23:30:00Z");
        return Stream.of(
                Arguments.of(date, date),
                Arguments.of(LocalDateTime.parse("2024-01-31T23:59"), date),
                Arguments.of(evening, date),
                Arguments.of(Date.from(evening), date),
                Arguments.of(OffsetDateTime.parse("2024-01-30T23:30Z"), date),
                Arguments.of(ZonedDateTime.parse("2024-01-30T18:30-05:00[America/New_York]"), date),
                Arguments.of("2024-01-31", date),
                Arguments.of("2024-01-30T23:30:00Z", date),
                Arguments.of("2024-01-31T10:00", date),
                Arguments.of(Optional.of(date), date),
                Arguments.of(Optional.empty(), null),
                Arguments.of(null, null));
    }

    @ParameterizedTest
    @MethodSource("anchors")
    void a_date_a_moment_and_an_ISO_text_are_anchors(@Nullable Object since, @Nullable LocalDate expected) {
        run(api -> {
            api.call(new Customer("a", since));
            assertThat(last()).isEqualTo(FixedWindow.of(1000, expected == null ? MONTH : MONTH.from(expected)));
        });
    }

    /** In a zone where it is still the day before when the date begins in the zone of almost any JVM. */
    @Test
    void a_date_of_a_database_is_an_anchor_whatever_the_zone_of_the_JVM_is() {
        LocalDate date = LocalDate.of(2024, 1, 31);
        runner.withBean(Far.class).run(context -> {
            context.getBean(Far.class).call(new Customer("a", java.sql.Date.valueOf(date)));
            CalendarPeriod far = CalendarPeriod.MONTH.in(ZoneId.of("Etc/GMT+12"));
            assertThat(last()).isEqualTo(FixedWindow.of(1000, far.from(date)));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "31.01.2024", "2024-02-30", "tomorrow", "2024-01-31T10:00+99:00"})
    void another_text_is_a_missing_key(String since) {
        run(api -> assertThatExceptionOfType(MissingLimitKeyException.class)
                .isThrownBy(() -> api.call(new Customer("a", since)))
                .withMessageContaining("must be a date, a moment, an ISO text such as 2026-01-15, or null for none"));
    }

    @Test
    void another_value_is_a_missing_key() {
        run(api -> assertThatExceptionOfType(MissingLimitKeyException.class)
                .isThrownBy(() -> api.call(new Customer("a", 31)))
                .withMessageContaining("was 31"));
    }

    @Test
    void a_date_of_configuration_takes_the_place_of_the_expression() {
        runner.withPropertyValues("limiter.limits.quota.anchor=2026-01-15").run(context -> {
            context.getBean(Api.class).call(new Customer("a", LocalDate.of(2024, 1, 31)));
            assertThat(last()).isEqualTo(FixedWindow.of(1000, MONTH.from(LocalDate.of(2026, 1, 15))));
        });
    }

    @Test
    void another_unit_of_configuration_has_the_anchor_of_the_call() {
        runner.withPropertyValues("limiter.limits.quota.per=year").run(context -> {
            context.getBean(Api.class).call(new Customer("a", LocalDate.of(2024, 2, 29)));
            assertThat(last())
                    .isEqualTo(FixedWindow.of(
                            1000, CalendarPeriod.YEAR.in(MONTH.zone()).from(LocalDate.of(2024, 2, 29))));
        });
    }

    private AnyLimit last() {
        Built built = factory.built().get(factory.built().size() - 1);
        return built.limit();
    }

    private void run(Consumer<Api> test) {
        runner.run(context -> test.accept(context.getBean(Api.class)));
    }
}
