package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When windows warn on every engine. */
abstract class WarningContract extends LimiterContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final FixedWindow TEN = FixedWindow.of(10, HOUR);

    private LimiterFactory warning(String share) {
        return limiters().with(LimiterOptions.NONE.withWarnAt(Share.parse(share)));
    }

    private Limiter ten() {
        return warning("80%").build("k", TEN);
    }

    /** Of all names. */
    private void assertWarnings(int warnings) {
        assertThat(limiters().statistics().totals().stream()
                        .mapToLong(LimiterTotals::warnings)
                        .sum())
                .isEqualTo(warnings);
    }

    @Test
    void a_window_warns_once_for_each_key() {
        int warnings = 0;
        for (FixedWindow window : List.of(TEN, FixedWindow.of(10, CalendarPeriod.MONTH))) {
            Limiter limiter = warning("80%").build("k" + warnings, window);
            for (int period = 0; period < 2; period++) {
                assertThat(limiter.tryAcquire(7)).isTrue();
                assertThat(limiter.peek(2).isGranted()).isTrue();
                assertThat(limiter.tryAcquire(4)).isFalse();
                assertWarnings(warnings);
                assertThat(limiter.tryAcquire()).isTrue();
                assertWarnings(++warnings);
                assertThat(limiter.decide(2).isGranted()).isTrue();
                assertThat(limiter.tryAcquire()).isFalse();
                assertWarnings(warnings);
                assertThat(limiter.on("ann").async().tryAcquire(9).join()).isTrue();
                assertWarnings(++warnings);
                clock().advance(Duration.ofDays(31));
            }
        }
    }

    @Test
    void a_window_warns_once_also_after_permits_were_returned() {
        Limiter limiter = ten();
        Reservation reserved = limiter.reserve(9);
        assertWarnings(1);
        assertThat(reserved.decision().timeToWait()).isZero();
        assertThat(reserved.cancel()).isTrue();
        assertThat(limiter.tryAcquire(8)).isTrue();
        limiter.refund(8);
        limiter.charge(9);
        assertWarnings(1);
        limiter.reset();
        limiter.charge(8);
        assertWarnings(2);
    }

    /** For example one in shadow mode: its warning would be the only one of the window. */
    @Test
    void a_limiter_without_listeners_leaves_the_warning_to_the_others() {
        Limiter quiet = limiters()
                .with(LimiterOptions.NONE.withWarnAt(Share.parse("80%")).withListeners(false))
                .build("k", TEN);
        assertThat(quiet.tryAcquire(8)).isTrue();
        assertWarnings(0);
        assertThat(ten().tryAcquire()).isTrue();
        assertWarnings(1);
    }

    @Test
    void a_plan_can_say_that_it_does_not_warn() {
        Limiter quiet = warning("1")
                .with(LimiterOptions.NONE.withPlan("quiet").withWarnAt(Share.permits(0)))
                .build("k", TEN);
        assertThat(quiet.tryAcquire(9)).isTrue();
        assertWarnings(0);
        assertThat(ten().tryAcquire()).isTrue();
        assertWarnings(1);
    }

    @Test
    void a_window_warns_again_only_at_more_permits() {
        assertThat(ten().tryAcquire(8)).isTrue();
        assertWarnings(1);
        assertThat(warning("80%").build("k", FixedWindow.of(9, HOUR)).tryAcquire())
                .isTrue();
        assertWarnings(1);
        Limiter twelve = warning("80%").build("k", FixedWindow.of(12, HOUR));
        assertThat(twelve.tryAcquire()).as("at 10").isTrue();
        assertWarnings(2);
        Limiter pro = limiters()
                .with(LimiterOptions.NONE.withPlan("pro").withWarnAt(Share.permits(12)))
                .build("k", FixedWindow.of(20, HOUR));
        assertThat(pro.tryAcquire()).isTrue();
        assertWarnings(2);
        assertThat(pro.tryAcquire()).as("at 12").isTrue();
        assertWarnings(3);
        assertThat(ten().charge(1).isGranted()).isTrue();
        assertThat(twelve.charge(1).isGranted()).isTrue();
        assertWarnings(3);
    }

    /** A window of another length warns by itself, and both keep their numbers when the other one is used. */
    @Test
    void each_window_of_a_key_warns() {
        Limiter day = warning("3").build("k", FixedWindow.of(10, CalendarPeriod.DAY));
        assertThat(ten().tryAcquire(8)).isTrue();
        assertThat(day.tryAcquire()).isTrue();
        assertWarnings(2);
        assertThat(ten().tryAcquire()).isTrue();
        assertThat(limiters().build("k", TEN).charge(1).isGranted()).isTrue();
        assertThat(day.charge(1).isGranted()).isTrue();
        assertThat(ten().charge(1).isGranted()).isTrue();
        assertWarnings(2);
    }

    @Test
    void charges_and_settlements_warn() {
        Limiter limiter = ten();
        Reservation reserved = limiter.on("settled").reserve(5);
        assertThat(reserved.settle(8)).isTrue();
        assertWarnings(1);
        reserved = limiter.on("settled later").reserve(5);
        assertThat(reserved.settleAsync(12).join()).isTrue();
        assertWarnings(2);
        limiter.on("charged").charge(25);
        assertWarnings(3);
        limiter.on("charged later").async().charge(25).join();
        assertWarnings(4);
    }

    @Test
    void of_callers_that_share_calls_one_is_the_cause() {
        Limiter limiter = warning("80%").build("k", FixedWindow.of(100, HOUR));
        Concurrently.run(8, () -> {
            for (int i = 0; i < 13; i++) {
                limiter.tryAcquire();
            }
        });
        assertWarnings(1);
    }

    @Test
    void a_caller_that_has_waited_for_permits_may_be_the_cause() {
        Limiter limiter = ten();
        assertThat(limiter.tryAcquire(10)).isTrue();
        assertThat(limiter.tryAcquire(8, HOUR)).isTrue();
        assertWarnings(2);
    }

    /** Also where a part is taken first and cancelled. */
    @Test
    void a_part_of_a_set_warns_if_the_set_is_granted() {
        Limiter limiter = ten().on("ann");
        Limiter other = limiters().build("other", FixedWindow.of(1, HOUR)).on("ann");
        LimitSet set = LimitSet.of(limiter, 4).and(other);
        assertThat(set.tryAcquire()).isTrue();
        assertThat(set.tryAcquire()).isFalse();
        assertWarnings(0);
        other.reset();
        assertThat(set.tryAcquire()).as("which uses as many permits again").isTrue();
        assertWarnings(1);
        SetReservation reserved = LimitSet.of(ten().on("bob"), 7).reserve(1);
        assertThat(reserved.settle(9)).isTrue();
        assertWarnings(2);
    }

    @Test
    void other_limits_and_more_permits_than_the_limit_are_errors() {
        List<Limit> others = List.of(TokenBucket.of(1, 10), SlidingLog.of(10, HOUR), SlidingCounter.of(10, HOUR));
        for (Limit other : others) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> warning("80%").build("k", other))
                    .withMessageStartingWith("warn-at works only with a fixed window, limit was ");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> warning("80%").build("k", ConcurrencyLimit.of(1)))
                .withMessageStartingWith("warn-at works only with a fixed window, limit was ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> warning("11").build("k", TEN))
                .withMessage("warn-at must be at most the limit of 10, was 11");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("k", TEN.withWarnAt(8)))
                .withMessageStartingWith("a limit does not say itself when it warns, set LimiterOptions.withWarnAt");
        assertThat(warning("10").build("k", TEN).tryAcquire(10)).isTrue();
        assertWarnings(1);
    }
}
