package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Prefetch, on a backend that counts its requests. */
class PrefetchTest {

    private static final Duration TIME = Duration.ofMillis(100);
    private static final Duration USABLE = TIME.multipliedBy(5).dividedBy(4);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final TokenBucket LIMIT = TokenBucket.of(1000, 10);
    private static final Request ONE = Request.take(1, 0);
    private static final String KEY = "{k}";

    private final TestClock clock = new TestClock();
    private final TestClock wall = new TestClock();
    private final HandSleeper timers = new HandSleeper(clock);
    private final SteppingEngine backend = new SteppingEngine(clock::micros, new KnownRejections(0));
    private final Behind behind = new Behind();
    private final Prefetch without = new Prefetch(behind, timers, new ExpiryClock(clock, wall));
    private final Prefetch prefetch = without.with(new PrefetchTerms(TIME));

    @Test
    void without_prefetch_every_request_reaches_the_backend() {
        for (int i = 0; i < 100; i++) {
            assertThat(decide(without, KEY, LIMIT, ONE).granted()).isTrue();
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
        assertThat(taken).as("500 that were used, and refilled meanwhile").isBetween(1L, 100L);
    }

    @Test
    void what_is_used_up_is_rejected_until_the_instance_may_call_again() {
        exhaust();
        int before = backend.requests();
        Decision rejected = decide(prefetch, KEY, LIMIT, ONE);
        assertThat(rejected.granted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(rejected.limit()).isEqualTo(10_000);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.USED_UP);
        assertThat(backend.requests()).isEqualTo(before);
        pass(Duration.ofNanos(1_000 * rejected.retryAfterMicros()));
        assertThat(decide(prefetch, KEY, LIMIT, ONE).granted()).isTrue();
        assertThat(backend.requests()).isGreaterThan(before);
    }

    @Test
    void an_instance_is_granted_all_that_is_refilled() {
        exhaust();
        int granted = 0;
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            granted += decide(prefetch, KEY, LIMIT, ONE).granted() ? 1 : 0;
            granted += decide(prefetch, KEY, LIMIT, ONE).granted() ? 1 : 0;
        }
        assertThat(granted).as("of 2,000 refilled").isBetween(1_900, 2_100);
    }

    @Test
    void two_instances_share_by_demand() {
        Prefetch other = new Prefetch(backend, timers, new ExpiryClock(clock, wall)).with(new PrefetchTerms(TIME));
        exhaust();
        int many = 0;
        int few = 0;
        for (int i = 0; i < 3_000; i++) {
            pass(MILLI);
            for (int j = 0; j < 6; j++) {
                many += decide(prefetch, KEY, LIMIT, ONE).granted() && i >= 1_000 ? 1 : 0;
            }
            for (int j = 0; j < 2; j++) {
                few += decide(other, KEY, LIMIT, ONE).granted() && i >= 1_000 ? 1 : 0;
            }
        }
        assertThat(many + few).as("of 2,000").isBetween(1_900, 2_100);
        assertThat(many).as("three times of %s", few).isBetween((int) (2.4 * few), (int) (3.6 * few));
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
        Decision reserved = decide(prefetch, KEY, LIMIT, Request.take(1, 1_000_000));
        assertThat(reserved.granted()).isTrue();
        assertThat(reserved.source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void several_permits_are_taken_from_prefetched_ones() {
        takeEachMilli(200);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 3, 0)).isEqualTo(ImmediateEngine.Known.PREFETCHED);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 5_000, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
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
    void a_rest_that_is_too_small_gives_way_to_the_next_block() {
        Request five = Request.take(5, 0);
        backend.takeElsewhere(KEY, LIMIT, Request.take(9_000, 0));
        int granted = 0;
        int before = backend.requests();
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            timers.runDue();
            granted += decide(prefetch, KEY, LIMIT, five).granted() ? 5 : 0;
        }
        assertThat(granted).as("of 1,000 stored and 2,000 refilled").isBetween(2_700, 3_100);
        assertThat(backend.requests() - before).as("calls in 20 prefetch times").isLessThan(250);
    }

    @Test
    void what_can_never_be_granted_is_no_demand() {
        Prefetch other = new Prefetch(backend, timers, new ExpiryClock(clock, wall)).with(new PrefetchTerms(TIME));
        exhaust();
        int granted = 0;
        for (int i = 0; i < 2_000; i++) {
            pass(MILLI);
            granted += decide(prefetch, KEY, LIMIT, ONE).granted() ? 1 : 0;
            decide(other, KEY, LIMIT, Request.take(20_000, 0));
        }
        assertThat(granted).as("of 2,000 that are refilled").isGreaterThan(1_800);
    }

    @Test
    void a_call_that_hangs_does_not_reject_for_long() {
        exhaust();
        behind.holds = true;
        Decision rejected = decide(prefetch, KEY, LIMIT, ONE);
        pass(Duration.ofNanos(1_000 * rejected.retryAfterMicros()));
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(behind.held).hasSize(1);
        Decision during = decide(prefetch, KEY, LIMIT, ONE);
        assertThat(during.source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(during.remaining()).isZero();
        pass(Duration.ofNanos(1_000 * during.retryAfterMicros()));
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void a_rejection_that_is_decided_again_counts_once() {
        exhaust();
        assertThat(prefetch.tryGrant(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.USED_UP);
    }

    @Test
    void peeks_reach_the_backend() {
        takeEachMilli(200);
        assertThat(decide(prefetch, KEY, LIMIT, Request.peek(1, 0)).remaining()).isEqualTo(remaining());
    }

    @Test
    void unused_permits_are_returned_after_the_prefetch_time() {
        takeFromHalf();
        long before = remaining();
        assertThat(prefetched(prefetch)).isTrue();
        pass(USABLE);
        timers.run();
        assertThat(remaining()).as("refilled by 100, and returned").isGreaterThan(before + 100);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
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

    @Test
    void closing_returns_all_unused_permits() {
        takeFromHalf();
        long before = remaining();
        prefetch.close();
        assertThat(remaining()).isGreaterThan(before);
        int requests = backend.requests();
        for (int i = 0; i < 10; i++) {
            decide(prefetch, KEY, LIMIT, ONE);
        }
        assertThat(backend.requests()).as("each is decided by the backend").isEqualTo(requests + 10);
    }

    @Test
    void a_reset_drops_prefetched_permits_without_returning_them() {
        takeEachMilli(200);
        prefetch.reset(KEY);
        assertThat(remaining()).isEqualTo(10_000);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        decide(prefetch, KEY, LIMIT, Request.take(100, 0));
        int before = backend.requests();
        pass(USABLE);
        timers.run();
        prefetch.close();
        assertThat(backend.requests()).as("and refunds").isEqualTo(before);
    }

    @Test
    void a_reset_through_any_view_drops_prefetched_permits() {
        takeEachMilli(200);
        without.reset(KEY);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        takeEachMilli(200);
        without.with(new PrefetchTerms(TIME, 1)).reset(KEY);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        assertThat(without).isEqualTo(prefetch).hasSameHashCodeAs(prefetch);
    }

    @Test
    void permits_that_arrive_while_closing_are_returned() {
        behind.holds = true;
        decide(prefetch, KEY, LIMIT, ONE);
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(behind.held).hasSize(1);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(prefetch::close);
        behind.holds = false;
        PendingDecision<?> late = behind.held.get(0);
        late.decided(new Decision(true, 8, 9_990, 0, 0, 0, Decision.Source.BACKEND, 77));
        closing.join();
        assertThat(behind.last).isEqualTo(new Request(Request.Action.REFUND, 8, 0, 77));
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

    @Test
    void another_limit_does_not_use_permits_prefetched_under_the_former() {
        takeEachMilli(200);
        assertThat(decide(prefetch, KEY, LIMIT.withRate(2000), ONE).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void permits_of_a_limit_that_was_replaced_are_dropped_without_returning_them() {
        takeEachMilli(200);
        prefetch.drop(TokenBucket.of(1000, 10));
        assertThat(prefetched(prefetch))
                .as("of an equal limit of another limiter")
                .isTrue();
        prefetch.drop(LIMIT);
        assertThat(prefetched(prefetch)).isFalse();
        int requests = backend.requests();
        pass(USABLE);
        timers.run();
        prefetch.close();
        assertThat(backend.requests()).isEqualTo(requests);
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
        assertThat(PendingRequest.start(prefetch, KEY, LIMIT, ONE)).isCompleted();
        assertThat(PendingRequest.start(prefetch, KEY, LIMIT, ONE).join().remaining())
                .isPositive();
        assertThat(backend.requests()).isEqualTo(before);
    }

    private static boolean prefetched(Prefetch by) {
        return by.tryAcquire(KEY, LIMIT, 1, 0) == ImmediateEngine.Known.PREFETCHED;
    }

    private void pass(Duration time) {
        clock.advance(time);
        wall.advance(time);
    }

    private void takeEachMilli(int permits) {
        for (int i = 0; i < permits; i++) {
            pass(MILLI);
            Decision decision = decide(prefetch, KEY, LIMIT, ONE);
            assertThat(decision.granted()).as("permit %s", i).isTrue();
        }
    }

    /** Nothing is returned to a full bucket. */
    private void takeFromHalf() {
        backend.takeElsewhere(KEY, LIMIT, Request.take(5_000, 0));
        takeEachMilli(200);
    }

    /** More is requested than there is, for a while. */
    private void exhaust() {
        backend.takeElsewhere(KEY, LIMIT, Request.take(9_900, 0));
        for (int i = 0; i < 200; i++) {
            pass(MILLI);
            for (int j = 0; j < 4; j++) {
                decide(prefetch, KEY, LIMIT, ONE);
            }
        }
        while (decide(prefetch, KEY, LIMIT, ONE).granted()) {
            // Uses up the rest.
        }
    }

    /** The permits that remain in the backend. */
    private long remaining() {
        return backend.takeElsewhere(KEY, LIMIT, Request.peek(1, 0)).remaining();
    }

    /** The backend, which can keep prefetches waiting, or fail them. */
    private final class Behind implements ImmediateEngine {

        private final List<PendingDecision<?>> held = new ArrayList<>();
        private boolean holds;
        private LimiterBackendException failure;
        private Request last;

        @Override
        public void decide(PendingDecision<?> pending) {
            last = pending.request(0);
            boolean prefetches = last.action() == Request.Action.PREFETCH;
            if (prefetches && holds) {
                held.add(pending);
            } else if (prefetches && failure != null) {
                pending.fail(failure, Runnable::run);
            } else {
                backend.decide(pending);
            }
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return backend.reset(key);
        }
    }
}
