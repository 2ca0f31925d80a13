package io.limiter.internal.prefetch;

import static io.limiter.testing.Decisions.decide;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.AtOnce;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.Sleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Prefetch, on a backend that counts its requests. */
class PrefetchTest {

    private static final int MAX_PERMITS = 100;
    private static final Duration MAX_TIME = Duration.ofSeconds(1);
    private static final TokenBucket LIMIT = TokenBucket.of(1000, 10);
    private static final Request ONE = Request.take(1, 0);
    private static final String KEY = "{k}";

    private final TestClock clock = new TestClock();
    private final SteppedClock wall = new SteppedClock();
    private final Timers timers = new Timers();
    private final SteppingEngine backend = new SteppingEngine(clock::micros, new KnownRejections(0));
    private final Prefetch without = new Prefetch(backend, timers, new ExpiryClock(clock, wall));
    private final Prefetch prefetch = without.with(new PrefetchTerms(MAX_PERMITS, MAX_TIME));

    @Test
    void without_prefetch_every_request_reaches_the_backend() {
        for (int i = 0; i < 100; i++) {
            assertThat(decide(without, KEY, LIMIT, ONE).granted()).isTrue();
        }
        assertThat(backend.requests()).isEqualTo(100);
        assertThat(timers.actions).isEmpty();
    }

    @Test
    void a_cold_key_is_not_prefetched() {
        for (int i = 0; i < 50; i++) {
            clock.advance(Duration.ofMillis(300));
            wall.advance(Duration.ofMillis(300));
            decide(prefetch, KEY, LIMIT, ONE);
        }
        assertThat(backend.requests()).isEqualTo(50);
        assertThat(remaining()).isEqualTo(9_999);
    }

    @Test
    void a_hot_key_costs_fewer_and_fewer_requests() {
        take(5_000);
        int first = backend.requests();
        take(1_000);
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source()).isEqualTo(Decision.Source.PREFETCH);
        assertThat(first).isLessThan(200);
        assertThat(backend.requests() - first)
                .as("blocks of half of the maximum")
                .isLessThanOrEqualTo(25);
    }

    @Test
    void granted_and_prefetched_permits_were_all_taken_from_the_backend() {
        take(3_000);
        long taken = 10_000 - remaining();
        assertThat(taken).isBetween(3_000L, 3_000L + MAX_PERMITS);
    }

    @Test
    void never_more_than_the_maximum_is_prefetched() {
        for (int i = 1; i <= 6_000; i++) {
            take(1);
            assertThat(10_000 - remaining() - i).isBetween(0L, (long) MAX_PERMITS);
        }
    }

    @Test
    void a_nearly_empty_bucket_is_not_prefetched() {
        take(10_000);
        assertThat(decide(prefetch, KEY, LIMIT, ONE).granted()).isFalse();
        assertThat(remaining()).isZero();
    }

    @Test
    void a_request_for_more_than_is_prefetched_reaches_the_backend() {
        take(1_000);
        int before = backend.requests();
        assertThat(decide(prefetch, KEY, LIMIT, Request.take(MAX_PERMITS + 1, 0))
                        .granted())
                .isTrue();
        assertThat(backend.requests()).isGreaterThan(before);
    }

    @Test
    void peeks_reach_the_backend() {
        take(1_000);
        long before = remaining();
        assertThat(decide(prefetch, KEY, LIMIT, Request.peek(1, 0)).remaining()).isEqualTo(before);
    }

    @Test
    void prefetch_of_two_permits_is_repeated() {
        Prefetch few = without.with(new PrefetchTerms(2, MAX_TIME));
        for (int i = 0; i < 1_000; i++) {
            assertThat(decide(few, KEY, LIMIT, ONE).granted()).isTrue();
        }
        assertThat(backend.requests()).as("nearly two by two").isLessThan(750);
    }

    @Test
    void unused_permits_are_refunded_after_the_prefetch_time() {
        take(1_000);
        long held = 9_000 - remaining();
        assertThat(held).isPositive();
        clock.advance(MAX_TIME);
        wall.advance(MAX_TIME);
        timers.run();
        assertThat(remaining()).as("with what has accrued meanwhile").isEqualTo(10_000 - 1_000 + 1_000);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
        int before = backend.requests();
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(backend.requests()).as("no permits are prefetched any more").isEqualTo(before + 1);
    }

    @Test
    void a_pause_that_only_the_wall_clock_shows_expires_a_block() {
        take(1_000);
        assertThat(9_000 - remaining()).isPositive();
        wall.advance(MAX_TIME);
        clock.advance(Duration.ofMillis(1));
        int before = backend.requests();
        assertThat(decide(prefetch, KEY, LIMIT, ONE).granted()).isTrue();
        assertThat(backend.requests()).as("a refund and a request").isGreaterThan(before);
        assertThat(remaining()).as("with what has accrued meanwhile").isEqualTo(8_999 + 1);
    }

    @Test
    void setting_back_the_wall_clock_does_not_prolong_a_block() {
        take(1_000);
        wall.advance(Duration.ofHours(-1));
        clock.advance(MAX_TIME);
        decide(prefetch, KEY, LIMIT, ONE);
        assertThat(remaining()).isEqualTo(9_999);
    }

    @Test
    void closing_refunds_all_unused_permits() {
        take(1_000);
        decide(prefetch, "{other}", LIMIT, ONE);
        prefetch.close();
        assertThat(remaining()).isEqualTo(9_000);
        int before = backend.requests();
        take(10);
        assertThat(backend.requests()).isEqualTo(before + 10);
    }

    @Test
    void a_reset_drops_prefetched_permits_without_a_refund() {
        take(1_000);
        prefetch.reset(KEY);
        assertThat(remaining()).isEqualTo(10_000);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
        take(1);
        clock.advance(Duration.ofMillis(1));
        timers.actions.forEach(Runnable::run);
        prefetch.close();
        assertThat(remaining()).as("no permits of the former state").isLessThanOrEqualTo(10_000);
        assertThat(decide(backend, KEY, LIMIT, Request.peek(1, 0)).remaining()).isGreaterThanOrEqualTo(9_999);
    }

    @Test
    void a_reset_through_any_view_drops_prefetched_permits() {
        take(1_000);
        without.reset(KEY);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
        take(1_000);
        without.with(new PrefetchTerms(1, MAX_TIME)).reset(KEY);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
        assertThat(without).isEqualTo(prefetch).hasSameHashCodeAs(prefetch);
    }

    @Test
    void a_block_granted_after_closing_is_refunded_at_once() {
        List<PendingDecision<?>> late = new ArrayList<>();
        AtOnce slow = new AtOnce() {
            @Override
            public void decide(PendingDecision<?> pending) {
                if (pending.request(0).equals(ONE)) {
                    backend.decide(pending);
                } else {
                    late.add(pending);
                }
            }

            @Override
            public CompletableFuture<Void> reset(String key) {
                return backend.reset(key);
            }
        };
        Prefetch closing =
                new Prefetch(slow, timers, new ExpiryClock(clock, wall)).with(new PrefetchTerms(MAX_PERMITS, MAX_TIME));
        for (int i = 0; i < 8; i++) {
            decide(closing, KEY, LIMIT, ONE);
        }
        assertThat(late).hasSize(1);
        closing.close();
        late.get(0).decided(part -> new Decision(true, 10_000, 9_988, 0, 0, 0));
        Request block = late.get(0).request(0);
        assertThat(late).last().extracting(pending -> pending.request(0)).isEqualTo(Request.refund(block.permits()));
    }

    @Test
    void another_limit_does_not_use_permits_prefetched_under_the_former() {
        take(1_000);
        TokenBucket other = LIMIT.withRate(2000);
        int before = backend.requests();
        assertThat(decide(prefetch, KEY, other, ONE).granted()).isTrue();
        assertThat(backend.requests()).isEqualTo(before + 1);
    }

    @Test
    void permits_of_a_limit_that_was_replaced_are_dropped_without_a_refund() {
        take(100);
        long before = remaining();
        prefetch.drop(TokenBucket.of(1000, 10));
        assertThat(decide(prefetch, KEY, LIMIT, ONE).source())
                .as("an equal limit of another limiter")
                .isEqualTo(Decision.Source.PREFETCH);
        prefetch.drop(LIMIT);
        assertThat(decide(prefetch, KEY, TokenBucket.of(2000, 10), ONE).source())
                .isEqualTo(Decision.Source.BACKEND);
        int requests = backend.requests();
        wall.advance(MAX_TIME.plusMillis(1));
        timers.run();
        prefetch.close();
        assertThat(backend.requests()).as("and refunds").isEqualTo(requests);
        assertThat(remaining()).isLessThan(before);
    }

    @Test
    void a_key_is_prefetched_again_after_no_timer_could_be_set() {
        timers.fail = true;
        take(100);
        timers.fail = false;
        take(100);
        assertThat(timers.actions).isNotEmpty();
        take(1_000);
        int first = backend.requests();
        take(1_000);
        assertThat(backend.requests() - first).isLessThanOrEqualTo(25);
    }

    @Test
    void asynchronous_callers_share_prefetched_permits() {
        take(1_000);
        int before = backend.requests();
        assertThat(PendingRequest.start(prefetch, KEY, LIMIT, ONE)).isCompleted();
        assertThat(PendingRequest.start(prefetch, KEY, LIMIT, ONE).join().remaining())
                .isPositive();
        assertThat(backend.requests()).isEqualTo(before);
    }

    @Test
    void prefetched_permits_are_granted_without_a_decision_object() {
        take(1_000);
        int before = backend.requests();
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 3, 0)).isEqualTo(AtOnce.Known.PREFETCHED);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, MAX_PERMITS + 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
        assertThat(backend.requests()).isEqualTo(before);
        prefetch.close();
        assertThat(remaining()).isEqualTo(9_000 - 3);
        assertThat(prefetch.tryAcquire(KEY, LIMIT, 1, 0)).isEqualTo(AtOnce.Known.UNKNOWN);
    }

    private void take(int permits) {
        for (int i = 0; i < permits; i++) {
            Decision decision = decide(prefetch, KEY, LIMIT, ONE);
            assertThat(decision.granted()).as("permit %s", i).isTrue();
        }
    }

    /** The permits that remain in the backend. */
    private long remaining() {
        return backend.takeElsewhere(KEY, LIMIT, Request.peek(1, 0)).remaining();
    }

    /** A wall clock that the test sets. */
    private static final class SteppedClock extends Ticker {

        private long nanos;

        void advance(Duration duration) {
            nanos += duration.toNanos();
        }

        @Override
        public long read() {
            return nanos;
        }
    }

    /** Timers that fire when the test calls {@link #run}. */
    private static final class Timers implements Sleeper {

        private final List<Runnable> actions = new ArrayList<>();
        private boolean fail;

        @Override
        public void sleep(long micros) {
            throw new UnsupportedOperationException("prefetch does not sleep");
        }

        @Override
        public Runnable later(long micros, Runnable action) {
            if (fail) {
                throw new OutOfMemoryError("no thread");
            }
            actions.add(action);
            return () -> actions.remove(action);
        }

        void run() {
            List<Runnable> due = List.copyOf(actions);
            actions.clear();
            due.forEach(Runnable::run);
        }
    }
}
