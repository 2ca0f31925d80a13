package io.limiter.internal.parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LimitParametersTest {

    private static final LimitParameters TEN =
            LimitParameters.of(LimitKind.TOKEN_BUCKET).with("rate", 10.0);

    static List<AnyLimit> limits() {
        Duration minute = Duration.ofMinutes(1);
        return List.of(
                TokenBucket.perSecond(5).withCapacity(7),
                TokenBucket.of(5, 3),
                TokenBucket.perSecond(5).withWarmUp(minute),
                LeakyBucket.meter(5, 7),
                LeakyBucket.queue(5, 7),
                FixedWindow.of(5, minute),
                FixedWindow.of(5, CalendarPeriod.MINUTE),
                FixedWindow.of(
                        5, CalendarPeriod.MONTH.in(ZoneId.of("Europe/Berlin")).from(LocalDate.EPOCH)),
                SlidingLog.of(5, minute),
                SlidingCounter.of(5, minute),
                ConcurrencyLimit.of(5).withLeaseTime(minute));
    }

    /** So a new kind that parameters cannot say is noticed. */
    @ParameterizedTest
    @MethodSource("limits")
    void what_describes_a_limit_makes_it_again(AnyLimit limit) {
        LimitParameters parameters = LimitParameters.of(limit);
        assertThat(parameters.problems()).isEmpty();
        assertThat(parameters.toLimit(1, "")).isEqualTo(limit);
        assertThat(parameters.appliedTo(limit)).isEqualTo(limit);
    }

    @Test
    void the_source_of_higher_precedence_wins_for_each_value() {
        LimitParameters minute = TEN.with("per", Per.valueOf("1m")).with("capacity", 7L);
        assertThat(LimitParameters.of((LimitKind) null)
                        .with("rate", 5.0)
                        .over(minute)
                        .toLimit(1, ""))
                .isEqualTo(TokenBucket.per(5, Duration.ofMinutes(1)).withCapacity(7));
        assertThat(LimitParameters.of((LimitKind) null)
                        .with("burst", Duration.ofSeconds(60))
                        .over(minute)
                        .toLimit(1, ""))
                .as("a burst replaces a capacity")
                .isEqualTo(TokenBucket.of(10.0 / 60, 60));
        assertThat(LimitParameters.of(LimitKind.LEAKY_BUCKET)
                        .with("rate", 5.0)
                        .over(minute)
                        .values()
                        .keySet())
                .as("another kind replaces all")
                .containsExactly("rate");
    }

    @Test
    void a_duration_replaces_the_calendar_with_its_zone_and_anchor() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        LimitParameters month = LimitParameters.of(LimitKind.FIXED_WINDOW)
                .with("limit", 5L)
                .with("per", Per.valueOf("month"))
                .with("zone", berlin)
                .with("anchor", Anchor.of(LocalDate.EPOCH));
        assertThat(month.toLimit(1, ""))
                .isEqualTo(FixedWindow.of(5, CalendarPeriod.MONTH.in(berlin).from(LocalDate.EPOCH)));
        LimitParameters hours = LimitParameters.of((LimitKind) null).with("per", Per.valueOf("6h"));
        assertThat(hours.over(month).toLimit(1, "")).isEqualTo(FixedWindow.of(5, Duration.ofHours(6)));
    }

    @Test
    void of_a_limit_by_the_calendar_the_number_can_be_changed_and_nothing_else() {
        FixedWindow month = FixedWindow.of(5, CalendarPeriod.MONTH);
        LimitParameters nine = LimitParameters.of((LimitKind) null).with("limit", 9L);
        assertThat(nine.appliedTo(month)).isEqualTo(FixedWindow.of(9, CalendarPeriod.MONTH));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> nine.with("per", Per.valueOf("30d")).appliedTo(month))
                .withMessage(
                        "period has no effect on a limit for each month in UTC, leave it out: of the calendar's periods only the"
                                + " limit can be changed");
    }

    @Test
    void problems_name_the_value_and_what_is_allowed() {
        assertThat(TEN.with("rate", Double.NaN).with("limit", 5L).problems())
                .isEqualTo(Map.of(
                        "rate",
                        " must be between 1.1574074074074074E-8 and 1.0E9, was NaN",
                        "limit",
                        " has no effect on kind token-bucket, which has burst, capacity, expire, per,"
                                + " prefetch-calls, prefetch-time, rate, timeout, warm-up"));
    }

    @Test
    void a_warm_up_that_can_never_grant_the_permits_suggests_fewer() {
        LimitParameters slow = TEN.with("rate", 1.0).with("warm-up", Duration.ofSeconds(10));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> slow.toLimit(5000, "the annotation"))
                .withMessage(
                        "a cost of 5000 would never be granted: at 1.0/s they take longer than can be reserved ahead,"
                                + " PT1H: lower the cost, or set a higher rate or a longer timeout");
    }
}
