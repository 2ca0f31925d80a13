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
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that end by the clock of a time zone. */
class AlignedWindowTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Request ONE = Request.take(1, 0);

    private final Random random = Seed.random();

    @ParameterizedTest
    @CsvSource({
        // The clocks of Berlin go on by an hour on 2026-03-29 at 01:00Z, and back on 2026-10-25 at 01:00Z.
        "PT1M,  Europe/Berlin, 2026-06-01T10:00:30Z,      2026-06-01T10:01:00Z",
        "PT1H,  Europe/Berlin, 2026-06-01T10:59:59.999999Z, 2026-06-01T11:00:00Z",
        "PT1H,  Asia/Kolkata,  2026-06-01T10:00:00Z,      2026-06-01T10:30:00Z",
        "PT24H, UTC,           2026-06-01T00:00:00Z,      2026-06-02T00:00:00Z",
        "PT24H, +02:00,        2026-06-01T10:00:00Z,      2026-06-01T22:00:00Z",
        "PT24H, Europe/Berlin, 2026-06-01T10:00:00Z,      2026-06-01T22:00:00Z",
        "PT24H, Europe/Berlin, 2026-12-01T10:00:00Z,      2026-12-01T23:00:00Z",
        "PT24H, Europe/Berlin, 2026-03-28T23:30:00Z,      2026-03-29T22:00:00Z",
        "PT24H, Europe/Berlin, 2026-10-24T22:30:00Z,      2026-10-25T23:00:00Z",
        "PT6H,  Europe/Berlin, 2026-03-29T00:30:00Z,      2026-03-29T04:00:00Z",
        "PT6H,  Europe/Berlin, 2026-10-25T00:30:00Z,      2026-10-25T05:00:00Z",
        "PT3H,  Europe/Berlin, 2026-03-29T00:30:00Z,      2026-03-29T01:00:00Z",
        "PT2H,  Europe/Berlin, 2026-03-29T00:30:00Z,      2026-03-29T01:00:00Z",
        "PT2H,  Europe/Berlin, 2026-10-25T00:30:00Z,      2026-10-25T03:00:00Z",
        "PT2H,  Europe/Berlin, 2026-10-25T01:30:00Z,      2026-10-25T03:00:00Z",
        "PT1H,  Europe/Berlin, 2026-03-29T00:30:00Z,      2026-03-29T01:00:00Z",
        "PT1H,  Europe/Berlin, 2026-10-25T00:30:00Z,      2026-10-25T01:00:00Z",
        "PT1H,  Europe/Berlin, 2026-10-25T01:30:00Z,      2026-10-25T02:00:00Z",
        // Midnight is skipped in Beirut on 2026-03-29, and comes twice in Havana on 2026-11-01.
        "PT24H, Asia/Beirut,   2026-03-28T12:00:00Z,      2026-03-28T22:00:00Z",
        "PT24H, America/Havana, 2026-10-31T12:00:00Z,     2026-11-01T04:00:00Z",
    })
    void an_aligned_window_ends_by_the_clock(Duration period, ZoneId zone, Instant now, Instant end) {
        assertThat(end(FixedWindow.of(1, period).withZone(zone), now)).isEqualTo(end);
    }

    @Test
    void a_day_ends_when_the_next_begins_in_every_zone() {
        for (String id : ZoneId.getAvailableZoneIds()) {
            ZoneId zone = ZoneId.of(id);
            FixedWindow daily = FixedWindow.of(1, DAY).withZone(zone);
            for (int i = 0; i < 20; i++) {
                Instant now = someTime(zone);
                Instant midnight = ZonedDateTime.ofInstant(now, zone)
                        .toLocalDate()
                        .plusDays(1)
                        .atStartOfDay(zone)
                        .toInstant();
                assertThat(end(daily, now))
                        .as("%s in %s; %s", now, id, Seed.hint())
                        .isEqualTo(midnight);
            }
        }
    }

    @Test
    void windows_have_no_gaps_and_the_length_of_their_period() {
        List<String> ids = List.of(
                "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu");
        for (String id : ids) {
            for (Duration period : List.of(Duration.ofMinutes(30), Duration.ofHours(1), Duration.ofHours(8), DAY)) {
                FixedWindow limit = FixedWindow.of(1, period).withZone(ZoneId.of(id));
                Instant now = someTime(ZoneId.of(id)).minus(DAY);
                for (int i = 0; i < 100; i++) {
                    Instant end = end(limit, now);
                    String what = "%s of %s in %s; %s".formatted(now, period, id, Seed.hint());
                    assertThat(Duration.between(now, end)).as(what).isPositive();
                    assertThat(Duration.between(now, end)).as(what).isLessThanOrEqualTo(period.plusHours(1));
                    Instant within = now.plusNanos((long) (random.nextDouble()
                                    * Duration.between(now, end).toNanos())
                            / 1000
                            * 1000);
                    assertThat(end(limit, within)).as(what).isEqualTo(end);
                    now = end;
                }
            }
        }
    }

    @Test
    void a_new_window_opens_by_the_clock_and_not_by_the_first_request() {
        FixedWindow limit = FixedWindow.of(2, Duration.ofMinutes(1)).withZone(ZoneOffset.UTC);
        long minute = micros(Instant.parse("2026-06-01T10:00:00Z"));
        Step<FixedWindow.State> two = limit.step(null, minute + 59_000_000, Request.take(2, 0));
        assertThat(two.verdict()).isEqualTo(verdict(true, 2, 0, 0, 0, 1_000_000).withTicketMicros(minute + 59_000_001));
        assertThat(limit.step(two.state(), minute + 59_999_999, ONE).verdict().retryAfterMicros())
                .isEqualTo(1);
        assertThat(limit.step(two.state(), minute + 60_000_000, ONE).verdict())
                .isEqualTo(verdict(true, 2, 1, 0, 0, 60_000_000).withTicketMicros(minute + 60_000_001));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT7M", "PT25H", "PT48H", "PT0.0011S"})
    void a_period_that_does_not_divide_a_day_is_rejected(Duration period) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(1, period).withZone(ZoneOffset.UTC))
                .withMessageContaining("must be a day, or go into a day a whole number of times")
                .withMessageContaining("was " + period);
    }

    @Test
    void an_aligned_window_needs_a_zone() {
        assertThatNullPointerException()
                .isThrownBy(() -> FixedWindow.of(1, DAY).withZone(null))
                .withMessage("zone");
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

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }
}
