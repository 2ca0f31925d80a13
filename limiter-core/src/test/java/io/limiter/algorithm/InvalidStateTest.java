package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A state that no limit can have left is rejected, so that a garbled value in Redis is noticed. */
class InvalidStateTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0, 1, 0, 0",
        "-1, 0, 1, 0, 0",
        "NaN, 0, 1, 0, 0",
        "Infinity, 0, 1, 0, 0",
        "5, -0.1, 1, 0, 0",
        "5, 5.1, 1, 0, 0",
        "5, NaN, 1, 0, 0",
        "5, 0, 0, 0, 0",
        "5, 0, -1, 0, 0",
        "5, 0, NaN, 0, 0",
        "5, 0, Infinity, 0, 0",
        "5, 0, 1, -1, 0",
        "5, 0, 1, NaN, 0",
        "5, 0, 1, Infinity, 0",
        "5, 0, 1, 0, -0.1",
        "5, 0, 1, 0, 1",
        "5, 0, 1, 0, NaN",
    })
    void an_invalid_bucket_is_rejected(double max, double stored, double interval, double nextFree, double remainder) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisPermits(max, stored, interval, nextFree, remainder))
                .withMessage("not a token bucket's state: maxPermits " + max + ", storedPermits " + stored
                        + ", intervalMillis " + interval + ", nextFreeTicketMillis " + nextFree + ", remainderMicros "
                        + remainder);
    }

    @ParameterizedTest
    @CsvSource({
        "1, -1, 1",
        "1, NaN, 1",
        "1, Infinity, 1",
        "1, 1.5, 1",
        "1, 1, -1",
        "1, 1, NaN",
        "1, 1, Infinity",
        "1, 1, 1.5",
        "1, 1, 9007199254740992",
        "NaN, 1, 1",
        "1.5, 1, 1",
        "-9007199254740992, 1, 1"
    })
    void an_invalid_window_is_rejected(double unit, double count, double end) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow.State(unit, count, end))
                .withMessage("not a window's state: unitMicros " + unit + ", count " + count + ", endMicros " + end
                        + ", sinceMicros 0.0, warnedAt 0.0");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 1.5, 9007199254740992.0, Double.NaN})
    void a_window_that_has_warned_at_no_count_is_rejected(double warnedAt) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow.State(1, 1, 1, null, warnedAt, null))
                .withMessageEndingWith(", warnedAt " + warnedAt);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1, 1, 2",
        "1, 1, 1, 2",
        "-1, 1, 1, 2",
        "1, 2, 1, 1",
        "1, 2, 2, 1",
        "1, 2, 0, 1",
        "1, 2, 1, 2147483648",
        "1.5, 2, 1, 2",
        "1, 2, 1, 1.5",
        "NaN, 2, 1, 2",
        "1, NaN, 1, 2",
        "1, 2, NaN, 2",
        "1, 9007199254740992, 1, 2"
    })
    void an_invalid_log_is_rejected(double time1, double time2, double total1, double total2) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new SlidingLog.State(new double[] {time1, time2}, new double[] {total1, total2}, LogUses.NONE))
                .withMessageStartingWith("not a log's state: ");
    }

    @Test
    void a_log_has_as_many_times_as_totals() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingLog.State(new double[2], new double[1], LogUses.NONE))
                .withMessage("not a log's state: 2 times and 1 totals");
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, 1, 1", "NaN, 1, 1, 1", "1, 1.5, 1, 1", "1, 2147483648, 1, 1", "1, 1, -1, 1", "1, 1, 1, 1e16"})
    void invalid_uses_of_a_log_are_rejected(double period, double limit, double other, double used) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LogUses(period, limit, other, used))
                .withMessageStartingWith("not the uses of a log: ");
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 1, 1, 1", "NaN, 1, 1, 1", "1e16, 1, 1, 1", "1, -1, 1, 1", "1, NaN, 1, 1", "1, 1e16, 1, 1",
        "1, 1, -1, 1", "1, 1, NaN, 1", "1, 1, 1e16, 1", "1, 1, 1, 0", "1, 1, 1, NaN", "1, 1, 1, 1e16"
    })
    void an_invalid_counter_is_rejected(double previous, double current, double start, double period) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingCounter.State(previous, current, start, period))
                .withMessageStartingWith("not a counter's state: ");
    }

    @Test
    void a_holder_has_permits() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConcurrencyLimit.Holder(1, 0, 1, 1))
                .withMessage("not a holder: id 1, permits 0, expiresMicros 1, leaseMicros 1");
    }

    @Test
    void states_just_in_range_are_accepted() {
        assertThat(new RedisPermits(5, 5, 1, 0, 0).storedPermits()).isEqualTo(5);
        assertThat(new RedisPermits(5, 0, 1, 0, Math.nextDown(1.0)).storedPermits())
                .isZero();
        assertThatCode(() -> new FixedWindow.State(0, 0, 0)).doesNotThrowAnyException();
    }
}
