package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Request;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which keys are prefetched, and which requests are granted from prefetched permits. */
@Tag("threads")
class PrefetchTest extends PrefetchFixture {

    @Test
    void without_prefetch_every_request_reaches_the_backend() {
        for (int i = 0; i < 100; i++) {
            assertThat(decide(without, KEY, LIMIT, ONE).isGranted()).isTrue();
        }
        assertThat(backend.requests()).isEqualTo(100);
        assertThat(timers.pending()).isZero();
    }

    @Test
    void a_cold_key_is_not_prefetched() {
        for (int i = 0; i < 50; i++) {
            pass(TIME.multipliedBy(10));
            decide(prefetch, KEY, LIMIT, ONE);
        }
        assertThat(backend.requests()).isEqualTo(50);
    }

    @Test
    void a_key_with_few_permits_is_not_prefetched() {
        TokenBucket few = TokenBucket.of(99, 1);
        for (int i = 0; i < 50; i++) {
            decide(prefetch, KEY, few, ONE);
        }
        assertThat(backend.requests()).isEqualTo(50);
    }

    @Test
    void a_bucket_that_is_full_within_a_prefetch_time_is_not_prefetched() {
        TokenBucket small = TokenBucket.perSecond(10_000).withCapacity(999);
        for (int i = 0; i < 50; i++) {
            decide(prefetch, KEY, small, ONE);
        }
        assertThat(backend.requests()).isEqualTo(50);
    }

    @Test
    void a_hot_key_costs_a_few_calls_in_each_prefetch_time() {
        takeEachMilli(1_000);
        int first = backend.requests();
        takeEachMilli(1_000);
        assertThat(backend.requests() - first).as("in ten prefetch times").isBetween(10, 40);
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.PREFETCH);
    }

    @Test
    void prefetched_permits_were_taken_from_the_backend() {
        takeEachMilli(500);
        long taken = 10_000 - remaining();
        assertThat(taken)
                .as("500 that were used, and those that were refilled since")
                .isBetween(1L, 100L);
    }

    @Test
    void several_permits_are_taken_from_prefetched_ones() {
        takeEachMilli(200);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 3, 0)).isEqualTo(ImmediateEngine.Known.PREFETCHED);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 5_000, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
    }

    @Test
    void who_takes_what_is_left_takes_prefetched_permits_and_without_them_those_of_the_backend() {
        takeEachMilli(200);
        Request upTo = Request.takeUpTo(5_000);
        Outcome held = decide(prefetch, KEY, LIMIT, upTo);
        assertThat(held.source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(held.verdict().takenBy(upTo)).isBetween(1L, 200L);
        int before = backend.requests();
        long taken = 0;
        while (taken < 5_000) {
            taken += decide(prefetch, KEY, LIMIT, upTo).verdict().takenBy(upTo);
        }
        assertThat(backend.requests()).as("calls").isBetween(before + 1, before + 10);
    }

    @Test
    void who_takes_what_is_left_wants_as_many_as_it_takes_at_most() {
        backend.takeElsewhere(KEY, LIMIT, Request.take(5_000, 0));
        for (int i = 0; i < 2; i++) {
            pass(MILLI);
            decide(prefetch, KEY, LIMIT, Request.takeUpTo(50));
        }
        assertThat(behind.last.action()).isEqualTo(Request.Action.PREFETCH);
        assertThat(behind.last.permits()).as("for 100 in a millisecond").isBetween(400L, 500L);
    }

    @Test
    void requests_that_leave_permits_are_decided_by_the_backend_and_are_no_demand() {
        Request low = Request.take(1, 0).withLeave(100);
        for (int i = 0; i < 500; i++) {
            pass(MILLI);
            assertThat(decide(prefetch, KEY, LIMIT, low).source()).isEqualTo(Decision.Source.BACKEND);
        }
        assertThat(backend.requests()).isEqualTo(500);
        takeEachMilli(200);
        int before = backend.requests();
        assertThat(decide(prefetch, KEY, LIMIT, low).source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(backend.requests()).isEqualTo(before + 1);
    }

    @Test
    void a_rest_that_is_too_small_gives_way_to_the_next_block() {
        Request five = Request.take(5, 0);
        backend.takeElsewhere(KEY, LIMIT, Request.take(9_000, 0));
        int granted = 0;
        int before = backend.requests();
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            timers.runDue();
            granted += decide(prefetch, KEY, LIMIT, five).isGranted() ? 5 : 0;
        }
        assertThat(granted).as("of 1,000 stored and 2,000 refilled").isBetween(2_700, 3_100);
        assertThat(backend.requests() - before).as("calls in 20 prefetch times").isLessThan(250);
    }

    @Test
    void peeks_reach_the_backend() {
        takeEachMilli(200);
        assertThat(decide(prefetch, KEY, LIMIT, Request.peek(1, 0)).remaining()).isEqualTo(remaining());
    }

    @Test
    void another_limit_does_not_use_permits_prefetched_under_the_former() {
        takeEachMilli(200);
        assertThat(decide(prefetch, KEY, LIMIT.withRate(2000), ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void a_key_is_prefetched_again_after_no_timer_could_be_set() {
        timers.rejects = true;
        takeEachMilli(100);
        timers.rejects = false;
        takeEachMilli(100);
        assertThat(timers.pending()).isPositive();
        assertThat(prefetched(prefetch)).isTrue();
    }

    @Test
    void asynchronous_callers_share_prefetched_permits() {
        takeEachMilli(200);
        int before = backend.requests();
        assertThat(Ask.start(prefetch, KEY, LIMIT, ONE)).isCompleted();
        assertThat(Ask.start(prefetch, KEY, LIMIT, ONE).join().remaining()).isPositive();
        assertThat(backend.requests()).isEqualTo(before);
    }

    @Test
    void a_pause_that_only_the_wall_clock_shows_expires_permits() {
        takeEachMilli(200);
        wall.advance(USABLE);
        clock.advance(MILLI);
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void setting_back_the_wall_clock_does_not_prolong_permits() {
        takeEachMilli(200);
        wall.advance(Duration.ofHours(-1));
        clock.advance(USABLE);
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }
}
