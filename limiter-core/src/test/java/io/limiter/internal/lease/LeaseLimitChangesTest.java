package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.SteppingEngine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers that wait for a lease while the limit changes. */
@Tag("threads")
class LeaseLimitChangesTest extends LeasesFixture {

    private static final ConcurrencyLimit TWO = ConcurrencyLimit.of(2);
    private static final ConcurrencyLimit THREE = ConcurrencyLimit.of(3);

    private static List<Lease> held(EngineConcurrencyLimiter limiter, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> limiter.acquire(1, Duration.ZERO))
                .toList();
    }

    private static List<CompletableFuture<Optional<Lease>>> waiting(EngineConcurrencyLimiter limiter, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> limiter.async().tryAcquire(HOUR))
                .toList();
    }

    /** Immediately, so no place under an old limit is left. */
    private static Lease granted(CompletableFuture<Optional<Lease>> waiting) {
        assertThat(waiting).isCompleted();
        return waiting.join().orElseThrow();
    }

    @Test
    void callers_wait_in_order_until_a_lowered_limit_has_permits() {
        EngineConcurrencyLimiter lowered = limiter(THREE);
        List<Lease> held = held(lowered, 3);
        List<CompletableFuture<Optional<Lease>>> waiting = waiting(lowered, 5);
        change(lowered, ONE);
        for (int i = 0; i < 2; i++) {
            held.get(i).close();
            sleeper.run();
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
        }
        Lease last = held.get(2);
        for (CompletableFuture<Optional<Lease>> next : waiting) {
            assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(waiting.indexOf(next));
            last.close();
            last = granted(next);
            assertThat(lowered.inUse()).isOne();
        }
        last.close();
        assertThat(lowered.inUse()).isZero();
    }

    @Test
    void callers_get_the_permits_of_a_raised_limit_in_order() {
        List<Lease> held = held(limiter, 1);
        List<CompletableFuture<Optional<Lease>>> waiting = waiting(limiter, 4);
        change(limiter, THREE);
        sleeper.run();
        assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(2);
        assertThat(waiting.subList(0, 2)).allMatch(CompletableFuture::isDone);
        assertThat(limiter.tryAcquire()).as("must not overtake").isEmpty();
        held.get(0).close();
        for (int i = 2; i < 4; i++) {
            assertThat(waiting.get(i)).isCompleted();
            granted(waiting.get(i - 2)).close();
        }
        assertThat(limiter.inUse()).isEqualTo(2);
        waiting.subList(2, 4).forEach(each -> granted(each).close());
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void a_caller_is_rejected_if_it_wants_more_than_a_lowered_limit_has() {
        EngineConcurrencyLimiter lowered = limiter(THREE);
        List<Lease> held = held(lowered, 3);
        CompletableFuture<Optional<Lease>> one = lowered.async().tryAcquire(HOUR);
        CompletableFuture<Optional<Lease>> two = lowered.async().tryAcquire(2, HOUR);
        change(lowered, ONE);
        sleeper.run();
        assertThat(two).isCompletedWithValueMatching(Optional::isEmpty);
        assertThat(one).isNotDone();
        held.forEach(Lease::close);
        granted(one).close();
    }

    @Test
    void a_changed_limit_changes_no_timeout() {
        EngineConcurrencyLimiter lowered = limiter(TWO);
        List<Lease> held = held(lowered, 2);
        CompletableFuture<Optional<Lease>> brief = lowered.async().tryAcquire(Duration.ofMillis(10));
        CompletableFuture<Optional<Lease>> longer = lowered.async().tryAcquire(Duration.ofMillis(20));
        List<CompletableFuture<Optional<Lease>>> longest = waiting(lowered, 1);
        change(lowered, ONE);
        held.get(0).close();
        assertThat(brief).isNotDone();
        sleeper.run();
        assertThat(brief).isCompletedWithValueMatching(Optional::isEmpty);
        assertThat(longer).isNotDone();
        sleeper.run();
        assertThat(longer).isCompletedWithValueMatching(Optional::isEmpty);
        held.get(1).close();
        granted(longest.get(0)).close();
    }

    @Test
    void a_caller_that_cancels_while_the_limit_changes_takes_no_permit() {
        Lease held = limiter.acquire(1, Duration.ZERO);
        List<CompletableFuture<Optional<Lease>>> waiting = waiting(limiter, 3);
        // When the first one is granted, the others have not been decided under the new limit yet.
        CompletableFuture<Boolean> cancelled =
                waiting.get(0).thenApply(lease -> waiting.get(1).cancel(false));
        change(limiter, THREE);
        sleeper.run();
        assertThat(cancelled).isCompletedWithValue(true);
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(limiter.inUse()).isEqualTo(3);
        granted(waiting.get(0)).close();
        granted(waiting.get(2)).close();
        held.close();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void callers_whose_own_limit_is_unchanged_keep_their_place_and_timeout() {
        EngineConcurrencyLimiter raised = limiter(ONE);
        EngineConcurrencyLimiter two = limiter(TWO);
        List<Lease> held = held(two, 2);
        List<CompletableFuture<Optional<Lease>>> underTwo = waiting(two, 2);
        Duration brief = Duration.ofSeconds(10);
        // It gets the third place under the limit of two. The last caller has the third place under the limit of one,
        // with the same deadline.
        CompletableFuture<Optional<Lease>> changed = raised.async().tryAcquire(brief);
        CompletableFuture<Optional<Lease>> first = limiter.async().tryAcquire(HOUR);
        CompletableFuture<Optional<Lease>> second = limiter.async().tryAcquire(brief);
        change(raised, TWO);
        sleeper.run();
        changed.cancel(false);
        clock.advance(brief);
        sleeper.run();
        assertThat(second).isCompletedWithValueMatching(Optional::isEmpty);
        assertThat(first).isNotDone();
        underTwo.forEach(each -> each.cancel(false));
        held.get(0).close();
        assertThat(first).isNotDone();
        held.get(1).close();
        granted(first).close();
    }

    @Test
    void callers_of_the_local_fallback_wait_for_their_share_of_the_new_limit() {
        SteppingEngine engine = new SteppingEngine(clock::micros);
        Leases local = new Leases(engine, sleeper, new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
        EngineConcurrencyLimiter shared =
                limiter(ConcurrencyLimit.of(6), new Failover(backend, FailurePolicy.local(0.5), engine, 1), local);
        backend.failing = true;
        List<Lease> held = held(shared, 3);
        List<CompletableFuture<Optional<Lease>>> waiting = waiting(shared, 2);
        change(shared, ConcurrencyLimit.of(4));
        held.get(0).close();
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        held.get(1).close();
        assertThat(waiting.get(0)).isCompleted();
        assertThat(waiting.get(1)).isNotDone();
        held.get(2).close();
        waiting.forEach(each -> granted(each).close());
        assertThat(local.queues()).isZero();
        local.close();
    }
}
