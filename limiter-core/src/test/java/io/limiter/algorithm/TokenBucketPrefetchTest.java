package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.data.Percentage.withPercentage;

import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a token bucket shares its permits among instances that prefetch. */
class TokenBucketPrefetchTest {

    private static final long TIME = 100_000;
    private static final long CALL = 200;
    private static final TokenBucket LIMIT = TokenBucket.perSecond(10_000);

    private long now = 1_700_000_000_000_000L;
    private @Nullable RedisPermits state;

    @Test
    void a_bucket_with_enough_permits_gives_all_that_is_wanted() {
        Verdict given = prefetch(300);

        assertThat(given.isGranted()).isTrue();
        assertThat(given.limit()).isEqualTo(300);
        assertThat(given.retryAfterMicros()).isZero();
        assertThat(given.remaining()).isEqualTo(9_700);
    }

    @Test
    void permits_are_taken_at_once() {
        prefetch(300);

        assertThat(decide(Request.take(9_701, 0)).isGranted()).isFalse();
        assertThat(decide(Request.take(9_700, 0)).isGranted()).isTrue();
    }

    @Test
    void permits_that_lack_are_shared_by_demand() {
        decide(Request.take(10_000, 0));
        long many = 0;
        long few = 0;
        for (int i = 0; i < 400; i++) {
            now += TIME / 8;
            many += prefetch(900).limit();
            now += TIME / 8;
            few += prefetch(300).limit();
        }

        assertThat((double) many / few).isCloseTo(3, withPercentage(30));
        assertThat(many + few).as("of 100,000 refilled").isBetween(98_000L, 100_000L);
    }

    @Test
    void who_wants_little_gets_one_permit_if_there_is_one() {
        decide(Request.take(9_995, 0));
        for (int i = 0; i < 4; i++) {
            prefetch(1_000_000);
        }

        assertThat(prefetch(1).limit()).isEqualTo(1);
        assertThat(prefetch(1).isGranted()).isFalse();
    }

    @Test
    void demand_is_forgotten_after_a_prefetch_time() {
        decide(Request.take(9_000, 0));
        prefetch(1_000_000);
        long withOthers = prefetch(900).limit();
        now += TIME + TIME / 4;
        decide(Request.take(1_000, 0));

        assertThat(prefetch(900).limit()).isGreaterThan(10 * withOthers);
    }

    @Test
    void calls_that_get_less_than_they_want_return_one_after_the_other() {
        decide(Request.take(10_000, 0));
        long last = 0;
        for (int i = 0; i < 1_000; i++) {
            Verdict given = prefetch(1);

            assertThat(given.retryAfterMicros()).isEqualTo(TIME / 4 + i * CALL);
            assertThat(given.waitMicros()).as("until there is a permit").isEqualTo(100);
            last = given.retryAfterMicros();
        }
        assertThat(last).isEqualTo(TIME / 4 + 999 * CALL);
    }

    @Test
    void calls_that_get_what_they_want_pause_when_there_are_too_many() {
        long calls = TIME / 4 / CALL;
        for (int i = 0; i <= calls; i++) {
            assertThat(prefetch(1).retryAfterMicros()).isZero();
        }

        assertThat(prefetch(1).retryAfterMicros()).isEqualTo(CALL);
    }

    @Test
    void unused_permits_return_as_far_as_the_bucket_has_not_overflowed() {
        decide(Request.take(6_000, 0));
        Verdict given = prefetch(500);
        now += TIME;
        long before = decide(Request.peek(1, 0)).remaining();
        decide(Request.cancel(400, given));

        assertThat(decide(Request.peek(1, 0)).remaining()).isEqualTo(before + 400);
    }

    @Test
    void what_a_full_bucket_gave_counts_as_held_until_the_next_call_was_due_though_it_is_returned() {
        Verdict given = prefetch(2_500);
        decide(Request.cancel(2_500, given));

        assertThat(decide(Request.peek(1, 0)).remaining()).isEqualTo(7_500);
        now += TIME;
        assertThat(decide(Request.peek(1, 0)).remaining()).as("refilled since").isEqualTo(8_500);
    }

    @Test
    void unused_permits_of_a_bucket_that_was_full_do_not_return() {
        Verdict given = prefetch(500);
        now += TIME;
        decide(Request.take(9_000, 0));
        long before = decide(Request.peek(1, 0)).remaining();
        decide(Request.cancel(500, given));

        assertThat(decide(Request.peek(1, 0)).remaining()).isEqualTo(before);
    }

    @Test
    void unused_permits_return_to_a_bucket_that_was_reset_up_to_its_capacity() {
        decide(Request.take(6_000, 0));
        Verdict given = prefetch(500);
        state = null;
        decide(Request.take(300, 0));
        decide(Request.cancel(500, given));

        assertThat(decide(Request.peek(1, 0)).remaining()).isEqualTo(10_000);
    }

    @Test
    void unused_permits_return_to_a_bucket_that_was_reset_while_instances_hold_permits() {
        decide(Request.take(6_000, 0));
        Verdict given = prefetch(500);
        state = null;
        prefetch(300);
        decide(Request.cancel(500, given));

        assertThat(Objects.requireNonNull(state).storedPermits()).isEqualTo(9_700);
    }

    @Test
    void a_smaller_capacity_leaves_no_room_next_to_the_permits_that_instances_hold() {
        prefetch(3_000);
        Step<RedisPermits> smaller = TokenBucket.perSecond(2_000).step(state, now, Request.peek(1, 0));

        assertThat(smaller.verdict().remaining()).isZero();
    }

    @Test
    void demand_moves_with_a_clock_that_steps_back() {
        prefetch(500);
        now -= Duration.ofSeconds(30).toMillis() * 1000;
        Verdict given = prefetch(1);

        assertThat(given.limit()).isEqualTo(1);
        assertThat(given.retryAfterMicros())
                .as("not until the clock is where it was")
                .isZero();
        assertThat(Objects.requireNonNull(Objects.requireNonNull(state).demand())
                        .heldPermits())
                .isEqualTo(501);
    }

    @Test
    void what_instances_hold_leaves_less_room_in_the_bucket() {
        prefetch(100);
        now += TIME / 20;

        assertThat(decide(Request.peek(1, 0)).remaining())
                .as("refilled by 50, but instances may hold 80")
                .isEqualTo(9_920);
        now += TIME / 5;
        assertThat(decide(Request.peek(1, 0)).remaining()).isEqualTo(10_000);
    }

    @Test
    void a_bucket_and_what_instances_hold_are_never_more_than_the_capacity() {
        decide(Request.take(10_000, 0));
        for (int i = 0; i < 5_000; i++) {
            now += i % 1_000 == 0 ? TIME : 20;
            prefetch(i % 7 == 0 ? 900 : 30);
            RedisPermits after = Objects.requireNonNull(state);

            assertThat(after.storedPermits()
                            + Objects.requireNonNull(after.demand()).heldPermits())
                    .isLessThanOrEqualTo(10_000.000001);
        }
    }

    @Test
    void a_bucket_of_which_nothing_was_prefetched_for_a_minute_is_stored_as_before() {
        prefetch(500);
        now += Duration.ofMinutes(2).toMillis() * 1000;
        decide(Request.take(1, 0));

        assertThat(Objects.requireNonNull(state).demand()).isNull();
    }

    @Test
    void another_rate_keeps_demand() {
        prefetch(500);
        Demand before = Objects.requireNonNull(state).demand();
        state = LIMIT.withRate(20_000).step(state, now, Request.take(1, 0)).state();

        assertThat(Objects.requireNonNull(state).demand()).isEqualTo(before).isNotNull();
    }

    @Test
    void only_a_token_bucket_is_prefetched() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(1, Duration.ofSeconds(1)).step(null, now, request(1)))
                .withMessageStartingWith("only permits of a TokenBucket can be prefetched, was FixedWindow");
    }

    @Test
    void times_out_of_range_are_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Request.prefetch(1, Request.MAX_PREFETCH_MICROS + 1, CALL))
                .withMessage("prefetch time (microseconds) must be between 1 and 10000000, was 10000001");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Request.prefetch(1, TIME, 0))
                .withMessage("time between calls (microseconds) must be between 1 and 1000000, was 0");
    }

    private static Request request(long permits) {
        return Request.prefetch(permits, TIME, CALL);
    }

    private Verdict prefetch(long permits) {
        return decide(request(permits));
    }

    private Verdict decide(Request request) {
        Step<RedisPermits> step = LIMIT.step(state, now, request);
        state = step.state();
        return step.verdict();
    }
}
