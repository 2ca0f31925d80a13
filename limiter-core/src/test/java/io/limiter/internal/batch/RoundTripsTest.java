package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("threads")
class RoundTripsTest {

    private final RoundTrips roundTrips = new RoundTrips();

    private long nowNanos = Long.MAX_VALUE - 1;

    @ParameterizedTest
    @CsvSource({"0, 0", "50, 0", "149, 0", "150, 1", "300, 2", "500, 4", "2000, 16", "100000, 16"})
    void over_a_network_each_call_in_flight_has_125_microseconds_of_a_round_trip(int micros, int calls) {
        add(micros, 20);
        assertThat(roundTrips.callsInFlight()).isEqualTo(calls);
    }

    @Test
    void each_round_trip_adds_one_call() {
        add(500, 1);
        assertThat(roundTrips.callsInFlight()).isEqualTo(1);
        add(500, 2);
        assertThat(roundTrips.callsInFlight()).isEqualTo(3);
    }

    @Test
    void after_a_short_round_trip_there_is_no_network_however_many_calls_of_a_busy_redis_follow() {
        add(500, 1);
        add(100, 1);
        add(500, 100_000);
        assertThat(roundTrips.callsInFlight()).isZero();
    }

    @Test
    void after_a_failover_to_a_more_distant_redis_calls_are_in_flight_again() {
        add(300, 20);
        add(900, 20);
        assertThat(roundTrips.callsInFlight()).as("it may be busy").isZero();
        pass(1);
        add(900, 20);
        assertThat(roundTrips.callsInFlight()).as("it may still be busy").isZero();
        pass(1);
        add(900, 20);
        assertThat(roundTrips.callsInFlight()).isEqualTo(7);
    }

    @Test
    void after_two_periods_without_calls_nothing_is_known() {
        add(300, 20);
        pass(2);
        add(900, 20);
        assertThat(roundTrips.callsInFlight()).isEqualTo(7);
    }

    @Test
    void a_short_round_trip_is_forgotten_two_periods_after_it_began_however_few_calls_there_are() {
        add(300, 1);
        pass(1.9);
        add(900, 1);
        pass(0.9);
        add(900, 20);
        assertThat(roundTrips.callsInFlight()).isEqualTo(7);
    }

    @Test
    void while_calls_take_half_as_long_again_as_the_shortest_none_may_be_added() {
        add(500, 4);
        add(751, 1);
        assertThat(roundTrips.callsInFlight()).isZero();
        add(750, 4);
        assertThat(roundTrips.callsInFlight()).isEqualTo(4);
    }

    @Test
    void a_long_round_trip_is_remembered_for_some_short_ones() {
        assertThat(roundTrips.longestNanos()).as("before the first").isZero();
        add(8000, 1);
        add(100, 1);
        assertThat(roundTrips.longestNanos()).isEqualTo(micros(7000));
        add(100, 40);
        assertThat(roundTrips.longestNanos()).isEqualTo(micros(100));
    }

    private void add(int micros, int times) {
        for (int i = 0; i < times; i++) {
            nowNanos += micros(micros);
            roundTrips.add(micros(micros), nowNanos);
        }
    }

    private void pass(double periods) {
        nowNanos += (long) (periods * RoundTrips.PERIOD_NANOS);
    }

    private static long micros(int micros) {
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }
}
