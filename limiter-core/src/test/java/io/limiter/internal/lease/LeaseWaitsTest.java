package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers that wait for a lease. */
@Tag("threads")
class LeaseWaitsTest extends LeasesFixture {

    @Test
    void callers_that_wait_under_a_lower_limit_do_not_hold_up_others() {
        EngineConcurrencyLimiter higher = limiter(ConcurrencyLimit.of(2));
        Lease first = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Optional<Lease>> waiting = limiter.async().tryAcquire(1, HOUR);
        assertThat(limiter.tryAcquire()).isEmpty();
        Lease second = higher.tryAcquire().orElseThrow();
        CompletableFuture<Optional<Lease>> waitingForTwo = higher.async().tryAcquire(1, HOUR);
        assertThat(higher.tryAcquire()).as("must not overtake").isEmpty();
        assertThat(waitingForTwo).isNotDone();
        second.close();
        Lease third = waitingForTwo.join().orElseThrow();
        assertThat(waiting).isNotDone();
        third.close();
        first.close();
        waiting.join().orElseThrow().close();
    }

    @Test
    void a_closed_lease_goes_to_the_caller_that_waits_longest() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(limiter.async().acquire(1, HOUR));
        }
        assertThat(limiter.tryAcquire()).as("does not overtake waiting callers").isEmpty();
        for (CompletableFuture<Lease> next : waiting) {
            assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(waiting.indexOf(next));
            held.close();
            assertThat(next).as("woken immediately, without a timer").isCompleted();
            held = next.join();
        }
        held.close();
        sleeper.run();
    }

    @Test
    void a_request_for_few_permits_does_not_overtake_one_for_many() {
        EngineConcurrencyLimiter three = limiter(ConcurrencyLimit.of(3));
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(three.acquire(1, Duration.ZERO));
        }
        CompletableFuture<Lease> two = three.async().acquire(2, HOUR);
        CompletableFuture<Lease> one = three.async().acquire(1, HOUR);
        held.get(0).close();
        assertThat(two).isNotDone();
        assertThat(one).isNotDone();
        held.get(1).close();
        assertThat(two).isCompleted();
        assertThat(one).isNotDone();
        held.get(2).close();
        assertThat(one).isCompleted();
    }

    @Test
    void the_number_of_calls_does_not_depend_on_the_number_of_waiting_callers() {
        limiter.acquire(1, Duration.ZERO);
        List<CompletableFuture<Optional<Lease>>> waiting = new ArrayList<>();
        int before = backend.calls.get();
        for (int i = 0; i < 50; i++) {
            waiting.add(limiter.async().tryAcquire(Duration.ofSeconds(20)));
        }
        assertThat(backend.calls).hasValue(before + 1);
        for (int i = 0; i < 150 && leases.queues() > 0; i++) {
            sleeper.run();
        }
        assertThat(waiting).allSatisfy(each -> assertThat(each.join()).isEmpty());
        // 16 ms, 32 ms, ... 250 ms until 20 s are over, and one that gives up the place.
        assertThat(backend.calls.get() - before).isBetween(80, 95);
    }

    @Test
    void a_timeout_ends_the_wait_of_one_caller_only() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Optional<Lease>> longer = limiter.async().tryAcquire(HOUR);
        CompletableFuture<Optional<Lease>> brief = limiter.async().tryAcquire(Duration.ofMillis(1));
        sleeper.run();
        assertThat(brief.join()).isEmpty();
        assertThat(longer).isNotDone();
        held.close();
        assertThat(longer.join()).isPresent();
        sleeper.run();
    }

    @Test
    void a_cancelled_wait_takes_no_permit() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> first = limiter.async().acquire(1, HOUR);
        CompletableFuture<Lease> second = limiter.async().acquire(1, HOUR);
        CompletableFuture<Lease> third = limiter.async().acquire(1, HOUR);
        first.cancel(false);
        third.cancel(false);
        held.close();
        assertThat(second).isCompleted();
        second.join().close();
        assertThat(limiter.inUse()).isZero();
        sleeper.run();
    }

    @Test
    void cancelled_waits_do_not_block_later_requests() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> waiting = limiter.async().acquire(1, HOUR);
        waiting.cancel(false);
        clock.advance(Duration.ofSeconds(30));
        assertThat(limiter.tryAcquire()).as("the lease has expired").isPresent();
        assertThat(held.isHeld()).isFalse();
        sleeper.run();
    }

    @Test
    void a_request_cancelled_while_it_is_sent_releases_its_permit() {
        List<CompletableFuture<Lease>> requested = new ArrayList<>();
        Lease held = limiter.acquire(1, Duration.ZERO);
        requested.add(limiter.async().acquire(1, HOUR));
        backend.afterDecision = () -> requested.get(0).cancel(false);
        held.close();
        backend.afterDecision = () -> {};
        assertThat(limiter.inUse()).isZero();
        sleeper.run();
    }

    @Test
    void a_failing_backend_fails_waiting_callers() {
        limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> first = limiter.async().acquire(1, HOUR);
        CompletableFuture<Lease> second = limiter.async().acquire(1, HOUR);
        backend.failing = true;
        sleeper.run();
        for (CompletableFuture<Lease> each : List.of(first, second)) {
            assertThatThrownBy(each::join).hasCauseInstanceOf(LimiterBackendException.class);
        }
    }

    @Test
    void a_lease_that_is_granted_too_late_fails_only_callers_whose_timeout_is_over() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> first = limiter.async().acquire(1, HOUR);
        CompletableFuture<Lease> brief = limiter.async().acquire(1, Duration.ofSeconds(29));
        CompletableFuture<Lease> second = limiter.async().acquire(1, HOUR);
        backend.requests.clear();
        backend.afterDecision = () -> {
            // The release is the first request, and the one of the first caller the second.
            if (backend.requests.size() == 2) {
                clock.advance(Duration.ofSeconds(30));
            }
        };
        held.close();
        assertThatThrownBy(brief::join).hasCauseInstanceOf(LimiterBackendException.class);
        assertThat(first).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(second).isNotDone();
        assertThat(limiter.inUse()).as("what was granted too late is released").isOne();
        first.join().close();
        assertThat(second).isCompletedWithValueMatching(Lease::isHeld);
        second.join().close();
        assertThat(limiter.inUse()).isZero();
        assertThat(leases.count()).isZero();
    }

    @Test
    void a_timer_that_cannot_be_set_fails_waiting_callers_but_not_later_ones() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> first = limiter.async().acquire(1, HOUR);
        // Comes to the same queue, before it has ended.
        CompletableFuture<Lease> second = first.handle((lease, error) -> {
                    sleeper.rejects = false;
                    return limiter.async().acquire(1, HOUR);
                })
                .thenCompose(again -> again);
        sleeper.rejects = true;
        sleeper.run();
        assertThatThrownBy(first::join).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(second).isNotDone();
        clock.advance(Duration.ofSeconds(30));
        assertThat(held.isHeld()).isFalse();
        sleeper.run();
        assertThat(second).as("its timer was set").isCompleted();
    }

    @Test
    void a_release_wakes_the_next_caller_even_if_its_future_was_completed_before() {
        List<Ask> releases = new ArrayList<>();
        Engine slow = new Engine() {
            @Override
            public void decide(Ask pending) {
                if (pending.request(0).action() == Request.Action.REFUND) {
                    releases.add(pending);
                } else {
                    backend.decide(pending);
                }
            }

            @Override
            public CompletableFuture<Void> reset(String key) {
                throw new UnsupportedOperationException();
            }
        };
        Leases held = new Leases(slow, sleeper, new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
        EngineConcurrencyLimiter one = new EngineConcurrencyLimiter(new KeySpace("", "one", ""), ONE, slow, held);
        Lease lease = one.acquire(1, Duration.ZERO);
        CompletableFuture<Lease> waiting = one.async().acquire(1, Duration.ofMinutes(1));
        assertThat(waiting).isNotDone();
        assertThat(lease.closeAsync().complete(null)).isTrue();
        backend.decide(releases.remove(0));
        assertThat(waiting).isCompleted();
        waiting.join().closeAsync();
        backend.decide(releases.remove(0));
        held.close();
    }
}
