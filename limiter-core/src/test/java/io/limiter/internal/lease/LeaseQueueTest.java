package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.WaitingCaller;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Seed;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.Steps;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a queue of 30,000 callers costs, in looks at one of them. */
@Tag("threads")
class LeaseQueueTest {

    private static final int CALLERS = Steps.of(30_000);
    // Twice the depth of a balanced tree of all of them, and what does not depend on their number.
    private static final int MOST_STEPS = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(CALLERS)) + 16;

    private final Random random = Seed.random();
    private final TestClock clock = new TestClock();
    private final HandSleeper sleeper = new HandSleeper(clock);
    private final ConcurrencyLimit limit = ConcurrencyLimit.of(1).withLeaseTime(Duration.ofHours(1));
    private final Leases leases =
            new Leases(new SteppingEngine(clock::micros), sleeper, new ExpiryClock(clock, clock), Leases.LARGE_BATCH);
    private long steps;
    private long operations;

    @Test
    void each_caller_costs_few_steps_however_many_wait() {
        Caller held = caller(0);
        List<Caller> waiting = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            waiting.add(caller(1 + random.nextInt(1_000_000)));
            checkSteps("added");
        }
        List<Caller> cancelled = new ArrayList<>(waiting);
        Collections.shuffle(cancelled, random);
        for (Caller caller : cancelled.subList(0, CALLERS / 2)) {
            caller.cancel(false);
            operations++;
            checkSteps("cancelled");
        }
        waiting.removeIf(CompletableFuture::isDone);
        List<Caller> granted = waiting.subList(0, CALLERS / 4);
        steps = 0;
        Lease lease = held.join().orElseThrow();
        for (Caller caller : granted) {
            lease.close();
            operations++;
            checkSteps("granted");
            assertThat(caller).as("%sin order", Seed.hint()).isCompleted();
            lease = caller.join().orElseThrow();
        }
        List<Caller> rejected = waiting.subList(granted.size(), waiting.size());
        while (leases.queues() > 0) {
            sleeper.run();
            operations++;
            checkSteps("rejected");
        }
        assertThat(rejected)
                .as(Seed.hint())
                .hasSize(CALLERS / 4)
                .allSatisfy(caller -> assertThat(caller.join()).isEmpty());
        leases.close();
    }

    /** Waits for so many milliseconds. */
    private Caller caller(int millis) {
        Caller caller = new Caller(Duration.ofMillis(millis));
        leases.acquire(caller, false);
        operations++;
        return caller;
    }

    private void checkSteps(String what) {
        assertThat(steps)
                .as("%s%d operations, %s", Seed.hint(), operations, what)
                .isLessThan(operations * MOST_STEPS);
    }

    private final class Caller extends LeaseRequest<Optional<Lease>> {

        Caller(Duration timeout) {
            super(LimiterCounters.unregistered("", "k"), "k", limit, 1, timeout, clock.read());
        }

        @Override
        public boolean isDone() {
            steps++;
            return super.isDone();
        }

        @Override
        public long leftNanos(long nowNanos) {
            steps++;
            return super.leftNanos(nowNanos);
        }

        @Override
        protected int compareDeadline(WaitingCaller<?> other) {
            steps++;
            return super.compareDeadline(other);
        }

        @Override
        protected Optional<Lease> granted(Lease lease) {
            return Optional.of(lease);
        }

        @Override
        protected Optional<Lease> rejected(Outcome rejection) {
            return Optional.empty();
        }

        @Override
        protected @Nullable Outcome exemptOrBanned() {
            return null;
        }

        @Override
        protected ConcurrencyLimit currentLimit() {
            return limit;
        }

        @Override
        protected void count(Outcome decision) {}

        @Override
        protected void fallBack(LimiterBackendException failure) {
            completeExceptionally(failure);
        }
    }
}
