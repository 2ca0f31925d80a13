package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Holders and their leases, of 30 s unless a test sets another lease time. */
class ConcurrencyLimitTest {

    private static final long START = 1_763_650_000_000_000L;
    private static final long LEASE = 30_000_000;

    private ConcurrencyLimit limit = ConcurrencyLimit.of(2);
    private ConcurrencyLimit.@Nullable State state;
    private long now = START;

    @Test
    void other_kinds_of_limits_reject_an_id() {
        Duration second = Duration.ofSeconds(1);
        for (LimitStep<?> other : List.of(
                TokenBucket.of(1, 10),
                FixedWindow.of(10, second),
                SlidingLog.of(10, second),
                SlidingCounter.of(10, second))) {
            // A refund with an id is a cancellation.
            for (Request request : List.of(Request.hold(7, 1), Request.renew(7))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> other.step(null, 0, request))
                        .withMessageStartingWith("the permits of a "
                                + other.getClass().getSimpleName()
                                + " are not held under an id, was Request[action=" + request.action());
            }
        }
    }

    @Test
    void at_most_the_limit_is_held() {
        assertThat(step(Request.hold(1, 1))).isEqualTo(verdict(true, 2, 1, 0, 0, LEASE));
        now += 10_000_000;
        assertThat(step(Request.hold(2, 1))).isEqualTo(verdict(true, 2, 0, 0, 0, LEASE));
        assertThat(step(Request.hold(3, 1))).isEqualTo(verdict(false, 2, 0, 20_000_000, 20_000_000, LEASE));
        assertThat(ids()).containsExactly(1L, 2L);
    }

    @Test
    void a_release_makes_room_and_a_second_one_does_nothing() {
        step(Request.hold(1, 1));
        step(Request.hold(2, 1));
        assertThat(step(Request.release(1))).isEqualTo(verdict(true, 2, 1, 0, 0, LEASE));
        assertThat(ids()).containsExactly(2L);
        ConcurrencyLimit.State before = state;
        step(Request.release(1));
        step(Request.release(77));
        assertThat(state).isSameAs(before);
        assertThat(step(Request.hold(3, 1)).isGranted()).isTrue();
    }

    @Test
    void a_lease_expires_at_its_end_and_not_before() {
        limit = ConcurrencyLimit.of(1);
        step(Request.hold(1, 1));
        now = START + LEASE - 1;
        assertThat(step(Request.hold(2, 1)).retryAfterMicros()).isEqualTo(1);
        now = START + LEASE;
        assertThat(step(Request.hold(2, 1)).isGranted()).isTrue();
        assertThat(ids()).containsExactly(2L);
    }

    @Test
    void a_renewed_lease_counts_from_the_renewal() {
        limit = ConcurrencyLimit.of(1);
        step(Request.hold(1, 1));
        now = START + LEASE - 1;
        assertThat(step(Request.renew(1))).isEqualTo(verdict(true, 1, 0, 0, 0, LEASE));
        now += LEASE - 1;
        assertThat(step(Request.hold(2, 1)).isGranted()).isFalse();
        now += 1;
        assertThat(step(Request.hold(2, 1)).isGranted()).isTrue();
    }

    @Test
    void an_expired_or_unknown_lease_is_not_renewed() {
        limit = ConcurrencyLimit.of(1);
        step(Request.hold(1, 1));
        now += LEASE;
        ConcurrencyLimit.State before = state;
        Verdict never = verdict(false, 1, 1, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 0);
        assertThat(step(Request.renew(1))).isEqualTo(never);
        assertThat(step(Request.renew(5))).isEqualTo(never);
        assertThat(state).isSameAs(before);
        state = null;
        assertThat(step(Request.renew(1))).isEqualTo(never);
        assertThat(step(Request.release(1)).isGranted()).isTrue();
        assertThat(state).isNull();
    }

    @Test
    void a_late_release_or_renewal_does_not_affect_later_holders() {
        limit = ConcurrencyLimit.of(1);
        step(Request.hold(1, 1));
        now += LEASE;
        step(Request.hold(2, 1));
        step(Request.release(1));
        assertThat(step(Request.renew(1)).isGranted()).isFalse();
        assertThat(ids()).containsExactly(2L);
    }

    @Test
    void a_second_acquisition_takes_no_more_permits() {
        step(Request.hold(1, 1));
        now += 5_000_000;
        assertThat(step(Request.hold(1, 1))).isEqualTo(verdict(true, 2, 1, 0, 0, LEASE));
        assertThat(step(Request.hold(1, 2)).remaining()).isEqualTo(1);
        assertThat(ids()).containsExactly(1L);
    }

    @Test
    void a_holder_can_hold_several_permits() {
        limit = ConcurrencyLimit.of(10);
        step(Request.hold(1, 7));
        now += 1_000_000;
        step(Request.hold(2, 2));
        assertThat(step(Request.hold(3, 2)).retryAfterMicros()).isEqualTo(LEASE - 1_000_000);
        assertThat(step(Request.hold(3, 9)).retryAfterMicros()).isEqualTo(LEASE);
        assertThat(step(Request.hold(3, 11)).retryAfterMicros()).isEqualTo(Verdict.NEVER_MICROS);
        assertThat(step(Request.release(1)).remaining()).isEqualTo(8);
        assertThat(step(Request.hold(3, 8)).isGranted()).isTrue();
    }

    @Test
    void any_of_several_holders_renews_and_releases_its_own() {
        limit = ConcurrencyLimit.of(3);
        step(Request.hold(1, 1));
        now += 1_000_000;
        step(Request.hold(2, 2));
        now += 1_000_000;
        step(Request.renew(1));
        // The first that was added is no longer the first that expires.
        assertThat(step(Request.hold(3, 1)).retryAfterMicros()).isEqualTo(LEASE - 1_000_000);
        assertThat(step(Request.hold(3, 3)).retryAfterMicros()).isEqualTo(LEASE);
        assertThat(step(Request.release(2)).remaining()).isEqualTo(2);
        assertThat(ids()).containsExactly(1L);
    }

    @Test
    void a_peek_changes_nothing() {
        assertThat(step(Request.peek(2, 0))).isEqualTo(verdict(true, 2, 2, 0, 0, 0));
        assertThat(state).isNull();
        step(Request.hold(1, 1));
        ConcurrencyLimit.State before = state;
        assertThat(step(Request.peek(2, 0))).isEqualTo(verdict(false, 2, 1, LEASE, LEASE, LEASE));
        now += LEASE;
        assertThat(step(Request.peek(2, 0)).isGranted()).isTrue();
        assertThat(state).isSameAs(before);
    }

    @Test
    void a_clock_that_steps_back_delays_no_caller_for_longer_than_a_lease() {
        limit = ConcurrencyLimit.of(1);
        step(Request.hold(1, 1));
        now -= Duration.ofDays(1).toNanos() / 1000;
        assertThat(step(Request.peek(1, 0)).retryAfterMicros()).isEqualTo(LEASE);
        now += 1_000_000;
        assertThat(step(Request.hold(2, 1)).retryAfterMicros()).isEqualTo(LEASE);
        now += LEASE - 1;
        assertThat(step(Request.hold(2, 1)).retryAfterMicros()).isEqualTo(1);
        now += 1;
        assertThat(step(Request.hold(2, 1)).isGranted()).isTrue();
    }

    @Test
    void a_changed_definition_applies_to_new_holders_and_shortens_no_lease() {
        step(Request.hold(1, 1));
        step(Request.hold(2, 1));
        limit = ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(1));
        assertThat(step(Request.hold(3, 1))).isEqualTo(verdict(false, 1, 0, LEASE, LEASE, LEASE));
        step(Request.release(1));
        assertThat(step(Request.hold(3, 1)).isGranted()).isFalse();
        now += LEASE - 1;
        assertThat(step(Request.hold(3, 1)).isGranted()).isFalse();
        now += 1;
        assertThat(step(Request.hold(3, 1)).fullAfterMicros()).isEqualTo(1_000_000);
    }

    @Test
    void the_state_is_kept_until_the_last_lease_expires() {
        step(Request.hold(1, 1));
        now += 500;
        step(Request.hold(2, 1));
        assertThat(limit.lifetimeMillis(state(), now)).isEqualTo(31_000);
        assertThat(limit.lifetimeMillis(state(), now + 1)).isEqualTo(31_000);
        step(Request.release(1));
        step(Request.release(2));
        assertThat(limit.lifetimeMillis(state(), now)).isEqualTo(1_000);
    }

    @Test
    void rejections_are_not_cacheable() {
        step(Request.hold(1, 2));
        assertThat(limit.isCacheable(step(Request.hold(2, 1)))).isFalse();
    }

    @Test
    void an_acquisition_needs_an_id() {
        for (Request request : List.of(Request.take(1, 0), Request.refund(1), Request.charge(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> step(request))
                    .withMessageContaining("held under an id");
        }
    }

    @Test
    void who_waits_longest_is_served_first() {
        step(Request.hold(1, 2));
        assertThat(step(Request.holdOrWait(2, 1)).isGranted()).isFalse();
        assertThat(step(Request.holdOrWait(3, 2)).isGranted()).isFalse();
        step(Request.release(1));
        assertThat(step(Request.holdOrWait(3, 2)))
                .as("one is kept for the first ticket")
                .isEqualTo(verdict(false, 2, 2, Request.TICKET_MICROS, Request.TICKET_MICROS, 3_000_000));
        assertThat(step(Request.hold(4, 1)).isGranted()).as("without a place").isFalse();
        assertThat(step(Request.peek(1, 0)).isGranted()).isFalse();
        assertThat(step(Request.holdOrWait(2, 1)).isGranted()).isTrue();
        assertThat(step(Request.holdOrWait(2, 1)).isGranted())
                .as("the same lease")
                .isTrue();
        step(Request.release(2));
        assertThat(step(Request.holdOrWait(3, 2)).isGranted()).isTrue();
        assertThat(ids()).containsExactly(3L);
        assertThat(step(Request.peek(1, 0)).remaining()).isZero();
    }

    @Test
    void a_ticket_ends_by_a_release_or_when_it_is_not_renewed() {
        step(Request.hold(1, 2));
        step(Request.holdOrWait(2, 1));
        step(Request.holdOrWait(3, 1));
        step(Request.holdOrWait(4, 1));
        assertThat(step(Request.renew(2)).isGranted()).as("no lease").isFalse();
        step(Request.release(1));
        step(Request.release(2));
        now += Request.TICKET_MICROS - 1;
        assertThat(step(Request.hold(5, 1)).isGranted()).isFalse();
        assertThat(step(Request.holdOrWait(4, 1)).isGranted())
                .as("room for both")
                .isTrue();
        now += 1;
        assertThat(step(Request.hold(5, 1)).isGranted()).isTrue();
        assertThat(ids()).containsExactly(4L, 5L);
    }

    @Test
    void a_ticket_of_a_lower_limit_holds_up_others_only_if_it_could_be_granted() {
        step(Request.hold(1, 1));
        limit = ConcurrencyLimit.of(1);
        assertThat(step(Request.holdOrWait(2, 1)).isGranted()).isFalse();
        limit = ConcurrencyLimit.of(2);
        assertThat(step(Request.hold(3, 1)).isGranted()).isTrue();
        step(Request.release(1));
        step(Request.release(3));
        assertThat(step(Request.hold(4, 2)).isGranted()).isFalse();
        assertThat(step(Request.hold(4, 1)).isGranted()).isTrue();
    }

    @Test
    void more_than_the_limit_leaves_no_ticket() {
        assertThat(step(Request.holdOrWait(1, 3)).isGranted()).isFalse();
        assertThat(state).isNull();
    }

    @Test
    void ids_out_of_range_are_errors() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Request.hold(Request.MAX_ID + 1, 1))
                .withMessageContaining("id must be from 1 to 9007199254740991, or 0 for none, was 9007199254740992");
        assertThatIllegalArgumentException().isThrownBy(() -> Request.renew(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Request.hold(-1, 1));
    }

    private Verdict step(Request request) {
        Step<ConcurrencyLimit.State> step = limit.step(state, now, request);
        state = step.state();
        return step.verdict();
    }

    private ConcurrencyLimit.State state() {
        assertThat(state).isNotNull();
        return state;
    }

    private List<Long> ids() {
        return state().holders().stream().map(ConcurrencyLimit.Holder::id).toList();
    }
}
