package io.limiter.internal.prefetch;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.step.Verdict;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The prefetched blocks of one key. */
@Tag("threads")
class PrefetchedKeyTest {

    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final TestClock clock = new TestClock();
    private final Deque<Runnable> onRead = new ArrayDeque<>();
    private final Ticker ticker = new Ticker() {
        @Override
        public long read() {
            Runnable first = onRead.poll();
            if (first != null) {
                first.run();
            }
            return clock.read();
        }
    };
    private final ExpiryClock expiry = new ExpiryClock(ticker, ticker);
    private final SteppingEngine backend = new SteppingEngine(clock::micros);
    private final InFlightCalls calls = new InFlightCalls();
    private final PrefetchedKey key = key(backend);

    @Test
    void a_block_that_replaces_another_during_the_count_is_counted() {
        PrefetchedPermits first = new PrefetchedPermits(block(1), 100, expiry.in(SECOND_NANOS), 0, 0) {
            private boolean counted;

            @Override
            int left() {
                int left = super.left();
                if (!counted) {
                    counted = true;
                    // Other threads use it up and go on to the next.
                    take(left);
                    assertThat(key.takeFrom(1)).isNotNull();
                }
                return left;
            }
        };
        key.add(first, SECOND_NANOS);
        key.add(new PrefetchedPermits(block(10), 100, expiry.in(SECOND_NANOS), 0, 0), SECOND_NANOS);
        assertThat(key.left()).as("of 9 permits in blocks").isGreaterThanOrEqualTo(9);
    }

    @Test
    void the_rest_of_an_expired_block_is_returned_though_there_is_a_next_one() {
        key.add(new PrefetchedPermits(block(10), 100, expiry.in(SECOND_NANOS), 0, 0), SECOND_NANOS);
        assertThat(key.takeFrom(1)).isNotNull();
        key.add(new PrefetchedPermits(block(10), 100, expiry.in(2 * SECOND_NANOS), 0, 0), SECOND_NANOS);
        clock.advance(Duration.ofSeconds(1));
        assertThat(key.takeFrom(1)).isNotNull();
        assertThat(key.left()).isEqualTo(9);
        assertThat(backend.requests()).as("a cancellation").isEqualTo(1);
    }

    @Test
    void a_block_drops_permits_evenly_towards_its_end() {
        PrefetchedPermits block = new PrefetchedPermits(block(100), 100, expiry.in(SECOND_NANOS), SECOND_NANOS / 4, 0);
        clock.advance(Duration.ofMillis(750));
        assertThat(block.take(10)).isEqualTo(90);
        clock.advance(Duration.ofMillis(125));
        assertThat(block.take(1)).isEqualTo(49);
        assertThat(block.newlyUsed()).isEqualTo(11);
        assertThat(block.takeRest()).as("with 40 that it has dropped").isEqualTo(89);
        assertThat(block.report()).as("without the rest").isEqualTo(11);
        clock.advance(Duration.ofMillis(125));
        assertThat(block.take(1)).isNegative();
    }

    @Test
    void closing_waits_for_permits_that_are_being_returned() {
        Held held = new Held();
        PrefetchedKey other = key(held);
        other.add(new PrefetchedPermits(block(10), 100, expiry.in(SECOND_NANOS), 0, 0), SECOND_NANOS);
        clock.advance(Duration.ofSeconds(1));
        assertThat(other.takeFrom(1)).isNull();
        assertThat(held.requests()).as("a cancellation").hasSize(1);
        other.close();
        assertThat(calls.isEmpty()).isFalse();
        held.answer();
        assertThat(calls.isEmpty()).isTrue();
    }

    @Test
    void closing_waits_for_a_call_that_begins_at_the_same_time() {
        Held held = new Held();
        PrefetchedKey other = key(held);
        held.onDecide = other::close;
        other.passed(1);
        other.passed(1);
        assertThat(calls.isEmpty()).isFalse();
        held.onDecide = () -> {};
        held.answer();
        assertThat(held.requests()).as("what came too late is returned").hasSize(1);
        assertThat(calls.isEmpty()).isFalse();
        held.answer();
        assertThat(calls.isEmpty()).isTrue();
    }

    @Test
    void after_an_error_it_prefetches_again() {
        Held held = new Held();
        PrefetchedKey other = key(held);
        other.passed(1);
        // The last one while it finds out how many permits it wants.
        onRead.addAll(List.of(() -> {}, () -> {}, () -> {}, () -> {}, () -> {
            throw new StackOverflowError();
        }));
        assertThatThrownBy(() -> other.passed(1)).isInstanceOf(StackOverflowError.class);
        assertThat(held.requests()).isEmpty();
        other.passed(1);
        assertThat(held.requests()).hasSize(1);
    }

    @Test
    void a_reply_that_brings_permits_rejects_no_request_that_they_are_for() {
        Held held = new Held();
        PrefetchedKey other = key(held, TokenBucket.of(10, 10));
        other.passed(1);
        other.passed(1);
        assertThat(other.takeFrom(1)).isNull();
        // The reply comes after a request has found no permits, and before it asks whether it is rejected.
        held.pending.remove().answer(Outcome.of(block(1).withRetryAfterMicros(500_000)));
        assertThat(other.rejects(1)).isFalse();
        assertThat(other.takeFrom(1)).isNotNull();
        assertThat(other.takeFrom(1)).isNull();
        assertThat(other.rejects(1)).as("it is used up").isTrue();
    }

    private PrefetchedKey key(Engine engine) {
        return key(engine, TokenBucket.of(1, 1));
    }

    private PrefetchedKey key(Engine engine, TokenBucket limit) {
        return new PrefetchedKey(
                "k",
                limit,
                Prefetch.of(Duration.ofSeconds(1)),
                engine,
                expiry,
                new HandSleeper(clock),
                calls,
                new LogThrottle(clock));
    }

    /** Answers when the test says so. */
    private static final class Held implements Engine {

        private final Deque<Ask> pending = new ArrayDeque<>();
        private Runnable onDecide = () -> {};

        @Override
        public void decide(Ask decided) {
            pending.add(decided);
            onDecide.run();
        }

        Deque<Ask> requests() {
            return pending;
        }

        void answer() {
            pending.remove().answer(Outcome.of(block(1)));
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private static Verdict block(int size) {
        return verdict(true, size, 100, 0, 0, 0);
    }
}
