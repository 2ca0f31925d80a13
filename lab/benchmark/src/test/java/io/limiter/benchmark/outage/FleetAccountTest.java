package io.limiter.benchmark.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.limiter.benchmark.subject.Allowance;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fault lasts from second 10 to second 12, and the limit is 2 a second. */
class FleetAccountTest {

    private static final long SECOND = 1_000_000_000;

    private final Calls one = new Calls(100);
    private final Calls other = new Calls(100);

    @Test
    void calls_count_from_the_fault_until_redis_decides_again_for_every_instance() {
        call(one, 9, 9.5, Answer.GRANTED);
        call(one, 9.9, 10.1, Answer.FAILED);
        call(one, 11, 11.1, Answer.GRANTED_ALONE);
        call(one, 12.1, 12.2, Answer.REJECTED);
        call(other, 11, 12.1, Answer.REJECTED_AGAIN);
        call(other, 12.2, 12.7, Answer.GRANTED);
        call(other, 13, 13.1, Answer.FAILED);

        FleetResult result = result(Library.REDISSON, 0);

        assertThat(result.calls()).isEqualTo(5);
        assertThat(result.granted()).isEqualTo(2);
        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.unanswered()).isZero();
        assertThat(result.seconds()).isEqualTo(2);
        assertThat(result.recoveryMillis()).isEqualTo(700);
        assertThat(result.longestMillis()).isEqualTo(1100);
    }

    @Test
    void an_instance_for_which_redis_never_decides_again_counts_until_the_end() {
        call(one, 12.1, 12.2, Answer.GRANTED);
        call(other, 13, 13.1, Answer.FAILED);
        call(other, 14, 14.1, Answer.FAILED);

        FleetResult result = result(Library.REDISSON, 1);

        assertThat(result.recoveryMillis()).isNull();
        assertThat(result.failed()).isEqualTo(2);
        assertThat(FleetAccount.isRecovered(List.of(List.of(one)), 12 * SECOND)).isTrue();
        assertThat(FleetAccount.isRecovered(List.of(List.of(one), List.of(other)), 12 * SECOND))
                .isFalse();
    }

    @Test
    void a_caller_that_still_waits_is_a_call_without_an_answer_and_stands_for_calls_that_it_could_not_make() {
        one.begin(nanos(11));
        one.close(nanos(21));
        one.end(nanos(22), Answer.GRANTED);
        one.begin(nanos(22));
        one.end(nanos(23), Answer.GRANTED);

        FleetResult result = result(Library.BUCKET4J, 0);

        assertThat(result.calls()).isEqualTo(1);
        assertThat(result.unanswered()).isEqualTo(1);
        assertThat(result.granted()).isZero();
        assertThat(result.longestMillis()).isEqualTo(10_000);
        // As if a call had been made every half second, each of which still waits.
        assertThat(result.p50Millis()).isCloseTo(5000, within(5.0));
    }

    @Test
    void grants_above_the_limit_are_those_of_the_worst_interval() {
        for (int i = 0; i < 8; i++) {
            call(one, 11, 11, Answer.GRANTED_ALONE);
        }
        call(one, 30, 30, Answer.GRANTED);
        call(other, 30, 30, Answer.GRANTED);

        FleetResult result = result(Library.GATEWAY, 0);

        assertThat(result.above()).isEqualTo(6);
        assertThat(result.documented()).isNull();
        assertThat(result.beyond()).isZero();
    }

    @Test
    void of_this_library_grants_are_also_compared_with_its_documented_bound() {
        for (int i = 0; i < 8; i++) {
            call(one, 11, 11, Answer.GRANTED_ALONE);
        }
        for (int i = 0; i < 3; i++) {
            call(other, 11.5, 11.5, Answer.GRANTED_ALONE);
        }
        call(one, 12, 12.5, Answer.GRANTED);
        call(other, 12, 12.5, Answer.GRANTED);

        // The capacity of 2 once more for the shares, and 2 a second in the 2.5 s until Redis decides again.
        FleetResult kept = result(Library.LIMITER, 0);
        assertThat(kept.above()).isEqualTo(8);
        assertThat(kept.documented()).isEqualTo(7);
        // From second 11 to 11.5: both capacities, and twice the rate.
        assertThat(kept.beyond()).isEqualTo(5);
        FleetResult lost = result(Library.LIMITER, 3);
        assertThat(lost.documented()).isEqualTo(13);
        assertThat(lost.beyond()).isZero();
    }

    @Test
    void each_instance_grants_at_least_one_permit() {
        call(one, 12, 12.5, Answer.GRANTED);
        FleetAccount account = new FleetAccount(
                new Allowance(1, Duration.ofMinutes(1)),
                List.of(List.of(one), List.of(other), List.of(new Calls(1))),
                Duration.ofMillis(500),
                10 * SECOND,
                12 * SECOND,
                0);
        assertThat(account.result(Library.LIMITER, Fault.STOPPED).documented()).isEqualTo(3);
    }

    private FleetResult result(Library library, int statesLost) {
        return new FleetAccount(
                        Allowance.perSecond(2),
                        List.of(List.of(one), List.of(other)),
                        Duration.ofMillis(500),
                        10 * SECOND,
                        12 * SECOND,
                        statesLost)
                .result(library, Fault.STOPPED);
    }

    private static void call(Calls calls, double called, double returned, Answer answer) {
        calls.begin(nanos(called));
        calls.end(nanos(returned), answer);
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * SECOND);
    }
}
