package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Periods of the calendar, and the windows for them. */
class CalendarPeriodTest {

    private static final Request ONE = Request.take(1, 0);

    private final Random random = Seed.random();

    @ParameterizedTest
    @CsvSource({
        // The clocks of Berlin go on by an hour on 2026-03-29 at 01:00Z, and back on 2026-10-25 at 01:00Z.
        "minute, Europe/Berlin, 2026-06-01T10:00:30Z,      2026-06-01T10:00:00Z, 2026-06-01T10:01:00Z",
        "hour,  Europe/Berlin, 2026-06-01T10:59:59.999999Z, 2026-06-01T10:00:00Z, 2026-06-01T11:00:00Z",
        "hour,  Asia/Kolkata,  2026-06-01T10:00:00Z,      2026-06-01T09:30:00Z, 2026-06-01T10:30:00Z",
        "day,   UTC,           2026-06-01T00:00:00Z,      2026-06-01T00:00:00Z, 2026-06-02T00:00:00Z",
        "day,   +02:00,        2026-06-01T10:00:00Z,      2026-05-31T22:00:00Z, 2026-06-01T22:00:00Z",
        "day,   Europe/Berlin, 2026-06-01T10:00:00Z,      2026-05-31T22:00:00Z, 2026-06-01T22:00:00Z",
        "day,   Europe/Berlin, 2026-03-28T23:30:00Z,      2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
        "day,   Europe/Berlin, 2026-10-24T22:30:00Z,      2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
        "hour,  Europe/Berlin, 2026-03-29T00:30:00Z,      2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z",
        "hour,  Europe/Berlin, 2026-10-25T00:30:00Z,      2026-10-25T00:00:00Z, 2026-10-25T01:00:00Z",
        "hour,  Europe/Berlin, 2026-10-25T01:30:00Z,      2026-10-25T01:00:00Z, 2026-10-25T02:00:00Z",
        // Midnight is skipped in Beirut on 2026-03-29 and in Cairo on 2026-04-24, and comes twice in Havana on
        // 2026-11-01.
        "day,   Asia/Beirut,   2026-03-28T12:00:00Z,      2026-03-27T22:00:00Z, 2026-03-28T22:00:00Z",
        "day,   Africa/Cairo,  2026-04-23T22:00:00Z,      2026-04-23T22:00:00Z, 2026-04-24T21:00:00Z",
        "day,   America/Havana, 2026-10-31T12:00:00Z,     2026-10-31T04:00:00Z, 2026-11-01T04:00:00Z",
        "day,   America/Havana, 2026-11-01T05:30:00Z,     2026-11-01T04:00:00Z, 2026-11-02T05:00:00Z",
        // On Lord Howe, clocks go back by half an hour on 2026-04-04 at 15:00Z.
        "hour,  Australia/Lord_Howe, 2026-04-04T14:45:00Z, 2026-04-04T14:00:00Z, 2026-04-04T15:00:00Z",
        "hour,  Australia/Lord_Howe, 2026-04-04T15:10:00Z, 2026-04-04T15:00:00Z, 2026-04-04T15:30:00Z",
        "day,   Australia/Lord_Howe, 2026-04-04T15:10:00Z, 2026-04-04T13:00:00Z, 2026-04-05T13:30:00Z",
        // 2026-06-01 is a Monday.
        "week,  UTC,           2026-06-07T23:59:59Z,      2026-06-01T00:00:00Z, 2026-06-08T00:00:00Z",
        "week,  Asia/Tokyo,    2026-06-07T23:59:59Z,      2026-06-07T15:00:00Z, 2026-06-14T15:00:00Z",
        "month, UTC,           2026-02-28T12:00:00Z,      2026-02-01T00:00:00Z, 2026-03-01T00:00:00Z",
        "month, UTC,           2028-02-29T12:00:00Z,      2028-02-01T00:00:00Z, 2028-03-01T00:00:00Z",
        "month, Europe/Berlin, 2026-03-31T21:59:59Z,      2026-02-28T23:00:00Z, 2026-03-31T22:00:00Z",
        "month, UTC,           2100-02-28T12:00:00Z,      2100-02-01T00:00:00Z, 2100-03-01T00:00:00Z",
        "year,  Europe/Berlin, 2026-12-31T22:59:59Z,      2025-12-31T23:00:00Z, 2026-12-31T23:00:00Z",
    })
    void a_period_begins_and_ends_by_the_calendar(String unit, ZoneId zone, Instant now, Instant start, Instant end) {
        assertBounds(CalendarPeriod.of(unit).in(zone), now, start, end);
    }

    @ParameterizedTest
    @CsvSource({
        // Thursday.
        "week,  2026-06-04, 2026-06-01T10:00:00Z, 2026-05-28T00:00:00Z, 2026-06-04T00:00:00Z",
        "week,  2026-06-04, 2026-06-04T00:00:00Z, 2026-06-04T00:00:00Z, 2026-06-11T00:00:00Z",
        "week,  2030-01-03, 2026-06-04T00:00:00Z, 2026-06-04T00:00:00Z, 2026-06-11T00:00:00Z",
        "month, 2026-01-15, 2026-02-14T23:59:59Z, 2026-01-15T00:00:00Z, 2026-02-15T00:00:00Z",
        "month, 2026-01-31, 2026-02-01T00:00:00Z, 2026-01-31T00:00:00Z, 2026-02-28T00:00:00Z",
        "month, 2026-01-31, 2026-02-28T00:00:00Z, 2026-02-28T00:00:00Z, 2026-03-31T00:00:00Z",
        "month, 2026-01-31, 2026-03-30T23:59:59Z, 2026-02-28T00:00:00Z, 2026-03-31T00:00:00Z",
        "month, 2026-01-31, 2028-02-29T00:00:00Z, 2028-02-29T00:00:00Z, 2028-03-31T00:00:00Z",
        "month, 2026-01-31, 2025-12-31T10:00:00Z, 2025-12-31T00:00:00Z, 2026-01-31T00:00:00Z",
        "year,  2024-02-29, 2026-02-28T10:00:00Z, 2026-02-28T00:00:00Z, 2027-02-28T00:00:00Z",
        "year,  2024-02-29, 2028-02-28T10:00:00Z, 2027-02-28T00:00:00Z, 2028-02-29T00:00:00Z",
        "year,  2024-02-29, 2100-03-01T10:00:00Z, 2100-02-28T00:00:00Z, 2101-02-28T00:00:00Z",
    })
    void periods_are_counted_from_an_anchor(String unit, LocalDate anchor, Instant now, Instant start, Instant end) {
        assertBounds(CalendarPeriod.of(unit).from(anchor), now, start, end);
    }

    private static void assertBounds(CalendarPeriod period, Instant now, Instant start, Instant end) {
        CalendarPeriod.Bounds bounds = period.at(micros(now));
        assertThat(instant(bounds.startMicros())).isEqualTo(start);
        assertThat(instant(bounds.endMicros())).isEqualTo(end);
        assertThat(bounds.nextEndMicros())
                .isEqualTo(period.at(bounds.endMicros()).endMicros());
        assertThat(end(FixedWindow.of(1, period), now)).isEqualTo(end);
    }

    @Test
    void a_day_ends_when_the_next_begins_in_every_zone() {
        for (String id : ZoneId.getAvailableZoneIds()) {
            ZoneId zone = ZoneId.of(id);
            CalendarPeriod day = CalendarPeriod.DAY.in(zone);
            for (int i = 0; i < 20; i++) {
                Instant now = someTime(zone);
                Instant midnight = ZonedDateTime.ofInstant(now, zone)
                        .toLocalDate()
                        .plusDays(1)
                        .atStartOfDay(zone)
                        .toInstant();
                assertThat(instant(day.at(micros(now)).endMicros()))
                        .as("%s in %s; %s", now, id, Seed.hint())
                        .isEqualTo(midnight);
            }
        }
    }

    @Test
    void periods_have_no_gaps_and_the_length_of_their_unit() {
        List<String> ids = List.of(
                "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu");
        for (String id : ids) {
            for (String unit : List.of("minute", "hour", "day", "week", "month", "year")) {
                CalendarPeriod natural = CalendarPeriod.of(unit).in(ZoneId.of(id));
                Instant start = someTime(ZoneId.of(id)).minus(Duration.ofDays(1));
                CalendarPeriod period = random.nextBoolean() || natural.length().toDays() < 7
                        ? natural
                        : natural.from(
                                LocalDate.ofInstant(start, ZoneId.of("UTC")).minusDays(random.nextInt(2000)));
                long now = micros(start);
                for (int i = 0; i < 100; i++) {
                    CalendarPeriod.Bounds bounds = period.at(now);
                    String what = "%s of %s; %s".formatted(instant(now), period, Seed.hint());
                    long length = bounds.endMicros() - bounds.startMicros();
                    assertThat(length).as(what).isPositive();
                    assertThat(length)
                            .as(what)
                            .isLessThanOrEqualTo(period.length().plusHours(1).toNanos() / 1000);
                    long within = bounds.startMicros() + (long) (random.nextDouble() * length);
                    CalendarPeriod other = CalendarPeriod.of(unit).in(ZoneId.of(id));
                    other = period.anchor() == null ? other : other.from(period.anchor());
                    assertThat(other.at(within)).as(what).isEqualTo(bounds);
                    assertThat(other)
                            .isEqualTo(period)
                            .hasSameHashCodeAs(period)
                            .hasToString(period.toString());
                    now = bounds.endMicros();
                    assertThat(period.at(now).startMicros()).as(what).isEqualTo(now);
                    assertThat(period.at(now).endMicros()).as(what).isEqualTo(bounds.nextEndMicros());
                }
            }
        }
    }

    @Test
    void all_names_of_UTC_are_the_same_zone() {
        for (String id : List.of("UTC", "Z", "Etc/UTC", "GMT", "+00:00")) {
            assertThat(CalendarPeriod.DAY.in(ZoneId.of(id))).as(id).isEqualTo(CalendarPeriod.DAY);
        }
        assertThat(CalendarPeriod.DAY).hasToString("day in UTC");
        assertThat(CalendarPeriod.DAY.in(ZoneId.of("Europe/London"))).isNotEqualTo(CalendarPeriod.DAY);
    }

    @Test
    void an_anchor_of_another_year_with_the_same_boundaries_is_the_same() {
        CalendarPeriod month = CalendarPeriod.MONTH.from(LocalDate.parse("2024-01-15"));
        assertThat(CalendarPeriod.MONTH.from(LocalDate.MAX.withDayOfMonth(15)))
                .isEqualTo(month)
                .hasSameHashCodeAs(month);
        assertThat(CalendarPeriod.MONTH.from(LocalDate.parse("2024-01-16"))).isNotEqualTo(month);
        long now = micros(Instant.parse("2026-06-01T10:00:00Z"));
        assertThat(CalendarPeriod.MONTH.from(LocalDate.MIN.withDayOfMonth(15)).at(now))
                .isEqualTo(month.at(now));
    }

    @Test
    void a_new_window_opens_by_the_calendar_and_not_by_the_first_request() {
        FixedWindow limit = FixedWindow.of(2, CalendarPeriod.MINUTE);
        long minute = micros(Instant.parse("2026-06-01T10:00:00Z"));
        Step<FixedWindow.State> two = limit.step(null, minute + 59_000_000, Request.take(2, 0));
        assertThat(two.verdict())
                .isEqualTo(verdict(true, 2, 0, 0, 0, 1_000_000)
                        .withTicketMicros(minute + 59_000_001)
                        .withPeriodEndMicros(minute + 60_000_000));
        assertThat(limit.step(two.state(), minute + 59_999_999, ONE).verdict().retryAfterMicros())
                .isEqualTo(1);
        assertThat(limit.step(two.state(), minute + 60_000_000, ONE).verdict())
                .isEqualTo(verdict(true, 2, 1, 0, 0, 60_000_000)
                        .withTicketMicros(minute + 60_000_001)
                        .withPeriodEndMicros(minute + 120_000_000));
    }

    /** Whoever calls alternately under two anchors has one limit between two of the boundaries that either of them names. */
    @Test
    void a_window_that_two_anchors_share_ends_at_the_earlier_of_their_ends() {
        FixedWindow first = FixedWindow.of(1000, CalendarPeriod.MONTH);
        FixedWindow fifteenth = FixedWindow.of(1000, CalendarPeriod.MONTH.from(LocalDate.parse("2026-01-15")));
        long day = Duration.ofDays(1).toNanos() / 1000;
        long now = micros(Instant.parse("2026-03-20T12:00:00Z"));
        Step<FixedWindow.State> all = first.step(null, now, Request.take(1000, 0));
        Step<FixedWindow.State> rejected = fifteenth.step(all.state(), now, ONE);
        assertThat(rejected.verdict().isGranted())
                .as("a changed anchor gives nothing back")
                .isFalse();
        assertThat(now + rejected.verdict().retryAfterMicros())
                .isEqualTo(micros(Instant.parse("2026-04-01T00:00:00Z")));
        Step<FixedWindow.State> april = fifteenth.step(rejected.state(), now + 12 * day, Request.take(1000, 0));
        assertThat(april.verdict().isGranted()).isTrue();
        assertThat(first.step(april.state(), now + 12 * day, ONE).verdict().isGranted())
                .isFalse();
        Step<FixedWindow.State> other = first.step(april.state(), now + 24 * day, ONE);
        assertThat(other.verdict().isGranted()).isFalse();
        assertThat(now + 24 * day + other.verdict().retryAfterMicros())
                .as("the window ends where the other one says")
                .isEqualTo(micros(Instant.parse("2026-04-15T00:00:00Z")));
        assertThat(first.step(other.state(), now + 26 * day, ONE).verdict().isGranted())
                .isTrue();
    }

    /** A rejection that names an earlier end keeps its word. */
    @Test
    void a_rejection_can_end_a_window_earlier() {
        FixedWindow fifteenth = FixedWindow.of(1, CalendarPeriod.MONTH.from(LocalDate.parse("2026-01-15")));
        FixedWindow first = FixedWindow.of(1, CalendarPeriod.MONTH);
        long now = micros(Instant.parse("2026-03-20T12:00:00Z"));
        Step<FixedWindow.State> taken = fifteenth.step(null, now, ONE);
        Step<FixedWindow.State> rejected = first.step(taken.state(), now, ONE);
        long retryAt = now + rejected.verdict().retryAfterMicros();
        assertThat(retryAt).isEqualTo(micros(Instant.parse("2026-04-01T00:00:00Z")));
        assertThat(first.step(rejected.state(), retryAt, ONE).verdict().isGranted())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"minute", "hour", "day"})
    void an_anchor_is_for_weeks_and_longer_periods(String unit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CalendarPeriod.of(unit).from(LocalDate.parse("2026-01-31")))
                .withMessage("anchor 2026-01-31 has no effect on a " + unit
                        + ": set it for a week, month or year, or leave it out");
    }

    @Test
    void a_unit_is_one_of_six() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CalendarPeriod.of("quarter"))
                .withMessage("unit of the calendar must be minute, hour, day, week, month or year, was 'quarter'");
    }

    @Test
    void a_zone_and_an_anchor_must_not_be_null() {
        assertThatNullPointerException()
                .isThrownBy(() -> CalendarPeriod.DAY.in(null))
                .withMessage("zone");
        assertThatNullPointerException()
                .isThrownBy(() -> CalendarPeriod.MONTH.from(null))
                .withMessage("anchor");
    }

    /** A random time, often within a day of a change of the zone's offset, also under earlier rules. */
    private Instant someTime(ZoneId zone) {
        Instant any = Instant.ofEpochSecond(1_000_000_000L + random.nextInt(1_500_000_000));
        var change = zone.getRules().nextTransition(any);
        return change == null || random.nextInt(3) == 0
                ? any
                : change.getInstant().plusSeconds(random.nextInt(172_800) - 86_400);
    }

    private static Instant end(FixedWindow limit, Instant now) {
        long reset = limit.step(null, micros(now), ONE).verdict().fullAfterMicros();
        return now.plusNanos(reset * 1000);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1000);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }
}
