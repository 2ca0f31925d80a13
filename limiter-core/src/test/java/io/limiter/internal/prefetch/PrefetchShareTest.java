package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.Prefetch;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an instance does when there are not enough permits for all. */
@Tag("threads")
class PrefetchShareTest extends PrefetchFixture {

    @Test
    void what_is_used_up_is_rejected_until_the_instance_may_call_again() {
        exhaust();
        int before = backend.requests();
        Outcome rejected = decide(prefetch, KEY, LIMIT, ONE);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(rejected.limit()).isEqualTo(10_000);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.USED_UP);
        assertThat(backend.requests()).isEqualTo(before);
        pass(Duration.ofNanos(1_000 * rejected.retryAfterMicros()));
        assertThat(decide(prefetch, KEY, LIMIT, ONE).isGranted()).isTrue();
        assertThat(backend.requests()).isGreaterThan(before);
    }

    @Test
    void an_instance_is_granted_all_that_is_refilled() {
        exhaust();
        int granted = 0;
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            granted += decide(prefetch, KEY, LIMIT, ONE).isGranted() ? 1 : 0;
            granted += decide(prefetch, KEY, LIMIT, ONE).isGranted() ? 1 : 0;
        }
        assertThat(granted).as("of 2,000 refilled").isBetween(1_900, 2_100);
    }

    @Test
    void two_instances_share_by_demand() {
        PrefetchEngine other =
                new PrefetchEngine(backend, timers, new ExpiryClock(clock, wall)).with(Prefetch.of(TIME));
        exhaust();
        int many = 0;
        int few = 0;
        for (int i = 0; i < 3_000; i++) {
            pass(MILLI);
            for (int j = 0; j < 6; j++) {
                many += decide(prefetch, KEY, LIMIT, ONE).isGranted() && i >= 1_000 ? 1 : 0;
            }
            for (int j = 0; j < 2; j++) {
                few += decide(other, KEY, LIMIT, ONE).isGranted() && i >= 1_000 ? 1 : 0;
            }
        }
        assertThat(many + few).as("of 2,000").isBetween(1_900, 2_100);
        assertThat(many).as("three times of %s", few).isBetween((int) (2.4 * few), (int) (3.6 * few));
    }

    @Test
    void what_can_never_be_granted_is_no_demand() {
        PrefetchEngine other =
                new PrefetchEngine(backend, timers, new ExpiryClock(clock, wall)).with(Prefetch.of(TIME));
        exhaust();
        int granted = 0;
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            granted += decide(prefetch, KEY, LIMIT, ONE).isGranted() ? 1 : 0;
            decide(other, KEY, LIMIT, Request.take(20_000, 0));
        }
        assertThat(granted).as("of 2,000 that are refilled").isGreaterThan(1_800);
    }

    @Test
    void a_request_for_more_than_an_instance_is_given_reaches_the_backend() {
        exhaust();
        int before = backend.requests();
        assertThat(decide(prefetch, KEY, LIMIT, Request.take(5_000, 0)).source())
                .isEqualTo(Decision.Source.BACKEND);
        assertThat(backend.requests()).isGreaterThan(before);
    }

    @Test
    void a_request_that_waits_reaches_the_backend() {
        exhaust();
        Outcome reserved = decide(prefetch, KEY, LIMIT, Request.take(1, 1_000_000));
        assertThat(reserved.isGranted()).isTrue();
        assertThat(reserved.source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void a_rejection_that_is_decided_again_counts_once() {
        exhaust();
        assertThat(prefetch.tryGrant(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.USED_UP);
    }

    @Test
    void a_call_that_hangs_does_not_reject_for_long() {
        exhaust();
        behind.holds = true;
        Outcome rejected = decide(prefetch, KEY, LIMIT, ONE);
        pass(Duration.ofNanos(1_000 * rejected.retryAfterMicros()));
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(behind.held).hasSize(1);
        Outcome during = decide(prefetch, KEY, LIMIT, ONE);
        assertThat(during.source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(during.remaining()).isZero();
        pass(Duration.ofNanos(1_000 * during.retryAfterMicros()));
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void after_a_lost_reply_requests_are_decided_by_the_backend() {
        exhaust();
        pass(TIME);
        behind.failure = BackendFailures.ambiguous(KEY, "it did not answer", null);
        decide(prefetch, KEY, LIMIT, ONE);
        behind.failure = null;
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }
}
