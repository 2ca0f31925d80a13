package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.Prefetch;
import io.limiter.Reservation;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of prefetched permits that are not used, and of those that are cancelled or refunded. */
@Tag("threads")
class PrefetchReturnTest extends PrefetchFixture {

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
    void permits_that_arrive_while_closing_are_returned() {
        behind.holds = true;
        decide(prefetch, KEY, LIMIT, ONE);
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(behind.held).hasSize(1);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(prefetch::close);
        behind.holds = false;
        Ask late = behind.held.get(0);
        late.answer(Outcome.of(Verdict.granted(8, 9_990, 0).withTicketMicros(77)));
        closing.join();
        assertThat(behind.last).isEqualTo(Request.of(Request.Action.REFUND, 8, 0, 77));
    }

    @Test
    void closing_waits_for_permits_of_a_key_that_was_just_replaced() throws InterruptedException {
        Deque<Runnable> onRead = new ArrayDeque<>();
        PrefetchEngine hooked =
                new PrefetchEngine(behind, timers, new ExpiryClock(hooked(onRead), wall)).with(Prefetch.of(TIME));
        decide(hooked, "{Aa}", LIMIT, ONE);
        pass(TIME.multipliedBy(20));
        behind.holds = true;
        // While another key of the same slot finds it to be idle, it gets hot.
        onRead.add(() -> {
            decide(hooked, "{Aa}", LIMIT, ONE);
            decide(hooked, "{Aa}", LIMIT, ONE);
        });
        decide(hooked, "{BB}", LIMIT, ONE);
        Thread closing = new Thread(hooked::close);
        closing.start();
        Awaitility.await()
                .until(() -> EnumSet.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                        .contains(closing.getState()));
        assertThat(closing.getState()).isEqualTo(Thread.State.TIMED_WAITING);
        behind.held.get(0).answer(Outcome.of(Verdict.granted(8, 9_990, 0).withTicketMicros(77)));
        closing.join();
        assertThat(behind.last).isEqualTo(Request.of(Request.Action.REFUND, 8, 0, 77));
    }

    @Test
    void a_key_that_an_error_has_closed_is_prefetched_again() {
        Deque<Runnable> onRead = new ArrayDeque<>();
        PrefetchEngine hooked =
                new PrefetchEngine(behind, timers, new ExpiryClock(hooked(onRead), wall)).with(Prefetch.of(TIME));
        decide(hooked, "{Aa}", LIMIT, ONE);
        pass(TIME.multipliedBy(20));
        onRead.add(() -> {});
        onRead.add(() -> {
            throw new OutOfMemoryError("planted, while another key of the same slot replaces it");
        });
        assertThatThrownBy(() -> decide(hooked, "{BB}", LIMIT, ONE)).hasMessageContaining("planted");
        decide(hooked, "{Aa}", LIMIT, ONE);
        decide(hooked, "{Aa}", LIMIT, ONE);
        assertThat(hooked.tryAcquire("{Aa}", LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.PREFETCHED);
    }

    private Ticker hooked(Deque<Runnable> onRead) {
        return new Ticker() {
            @Override
            public long read() {
                Runnable first = onRead.poll();
                if (first != null) {
                    first.run();
                }
                return clock.read();
            }
        };
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
        without.with(Prefetch.of(TIME).withCallsPerSecond(1)).reset(KEY);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        assertThat(without).isEqualTo(prefetch).hasSameHashCodeAs(prefetch);
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
    void a_block_that_is_returned_after_a_reset_by_another_instance_is_added_up_to_the_capacity() {
        PrefetchEngine other =
                new PrefetchEngine(backend, timers, new ExpiryClock(clock, wall)).with(Prefetch.of(TIME));
        takeFromHalf();
        behind.returned = 0;
        other.reset(KEY);
        assertThat(prefetched(prefetch)).as("it knows nothing of the reset").isTrue();
        backend.takeElsewhere(KEY, LIMIT, Request.take(1, 0));
        prefetch.close();
        assertThat(behind.returned).isPositive();
        assertThat(remaining()).isEqualTo(10_000);
    }

    @Test
    void a_block_that_is_returned_after_a_reset_adds_what_the_instance_could_have_used() {
        takeFromHalf();
        behind.returned = 0;
        backend.reset(KEY);
        backend.takeElsewhere(KEY, LIMIT, Request.take(10_000, 0));
        prefetch.close();
        assertThat(remaining()).isEqualTo(behind.returned).isPositive();
    }

    @Test
    void a_cancelled_reservation_of_prefetched_permits_is_returned_to_the_backend() {
        takeFromHalf();
        Reservation reserved = limiter().reserve(5);
        assertThat(reserved.decision().source()).isEqualTo(Decision.Source.PREFETCH);
        long before = remaining();
        behind.returned = 0;
        assertThat(reserved.cancel()).isTrue();
        assertThat(behind.returned).isEqualTo(5);
        assertThat(remaining()).isEqualTo(before + 5);
    }

    @Test
    void a_cancelled_reservation_of_prefetched_permits_adds_nothing_if_the_bucket_was_full_since() {
        takeEachMilli(200);
        pass(MILLI.multipliedBy(10));
        Reservation reserved = limiter().reserve(5);
        assertThat(reserved.decision().source()).isEqualTo(Decision.Source.PREFETCH);
        while (remaining() < LIMIT.capacity()) {
            pass(MILLI);
        }
        backend.takeElsewhere(KEY, LIMIT, Request.take((int) remaining(), 0));
        behind.returned = 0;
        assertThat(reserved.cancel()).as("they would be there anyway").isFalse();
        assertThat(behind.returned).isZero();
        assertThat(remaining()).isZero();
    }

    @Test
    void a_refund_goes_to_the_backend() {
        takeFromHalf();
        long before = remaining();
        behind.returned = 0;
        limiter().refund(7);
        assertThat(behind.returned).isEqualTo(7);
        assertThat(remaining()).isEqualTo(before + 7);
    }

    @Test
    void permits_prefetched_at_the_former_rate_are_dropped() {
        EngineRateLimiter limiter = limiter();
        takeFromHalf();
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.PREFETCH);
        behind.returned = 0;
        limiter.setRate(2_000);
        Decision next = limiter.decide(1);
        assertThat(next.source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(next.limit()).isEqualTo(20_000);
        pass(USABLE);
        timers.run();
        prefetch.close();
        assertThat(behind.returned).as("at the new rate, each would be two").isZero();
    }
}
