package io.limiter.internal.cache;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Decisions;
import io.limiter.testing.Eventually;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which rejections are repeated without the backend, and for how long. */
@Tag("threads")
class RejectionCacheTest {

    private static final TokenBucket ONE_IN_TEN_SECONDS = TokenBucket.of(0.1, 10);
    private static final TokenBucket TEN = TokenBucket.of(10, 1);

    private final TestClock redisClock = new TestClock();
    private final TestClock ticker = new TestClock();

    @Test
    void a_rejection_is_repeated_without_the_backend_until_its_retry_after() {
        Cached cached = cached(16);
        assertThat(cached.take("k", TEN, 10)).isTrue();
        assertThat(cached.take("k", TEN, 1)).isFalse();
        assertThat(cached.newRequests()).isEqualTo(2);
        for (int millis = 1; millis < 100; millis++) {
            advance(Duration.ofMillis(1));
            assertThat(cached.take("k", TEN, 1)).isFalse();
            assertThat(cached.take("k", TEN, 5)).isFalse();
        }
        assertThat(cached.newRequests()).isZero();
        advance(Duration.ofMillis(1));
        assertThat(cached.take("k", TEN, 1)).isTrue();
    }

    @Test
    void a_longer_timeout_is_not_rejected_without_the_backend() {
        Cached cached = cached(16);
        cached.take("k", TEN, 10);
        assertThat(cached.take("k", TEN, 1)).isFalse();
        assertThat(cached.engine.tryAcquire("k", TEN, 1, 0)).isEqualTo(ImmediateEngine.Known.STILL_REJECTED);
        assertThat(cached.engine.tryAcquire("k", TEN, 1, 1)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
    }

    @Test
    void a_larger_request_is_rejected_without_the_backend_only_if_the_limit_says_so() {
        SlidingLog log = SlidingLog.of(10, Duration.ofSeconds(1));
        Cached cached = cached(16);
        for (LimitStep<?> limit : List.of(TEN, log)) {
            cached.take(limit.keySuffix(), limit, 8);
            assertThat(cached.take(limit.keySuffix(), limit, 3)).isFalse();
            assertThat(cached.engine.tryAcquire(limit.keySuffix(), limit, 3, 0))
                    .isEqualTo(ImmediateEngine.Known.STILL_REJECTED);
            assertThat(cached.engine.tryAcquire(limit.keySuffix(), limit, 4, 0))
                    .isEqualTo(limit == log ? ImmediateEngine.Known.UNKNOWN : ImmediateEngine.Known.STILL_REJECTED);
            cached.newRequests();
            assertThat(cached.decide(limit.keySuffix(), limit, Request.take(4, 0))
                            .retryAfterMicros())
                    .isPositive();
            assertThat(cached.newRequests()).isEqualTo(limit == log ? 1 : 0);
        }
    }

    @Test
    void an_expired_rejection_keeps_no_state_and_no_timer() {
        HandSleeper timers = new HandSleeper(ticker);
        KnownRejections rejections = new KnownRejections(1024, ticker, timers);
        assertThat(timers.pending()).isZero();
        List<WeakReference<Object>> states = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            states.add(reject(rejections, "k" + i));
        }
        assertThat(timers.pending()).isEqualTo(1);
        ticker.advance(Duration.ofMillis(600));
        WeakReference<Object> last = reject(rejections, "last");
        timers.run();
        assertThat(rejections.count()).as("recorded 400 ms ago").isEqualTo(1);
        assertThat(last.get()).isNotNull();
        assertThat(timers.pending()).isEqualTo(1);
        timers.run();
        assertThat(timers.pending()).isZero();
        states.add(last);
        Eventually.that(() -> {
            System.gc();
            assertThat(states).allMatch(state -> state.get() == null);
        });
        reject(rejections, "again");
        assertThat(timers.pending()).isEqualTo(1);
    }

    @Test
    void without_a_thread_for_a_timer_rejections_are_cached_nevertheless() {
        HandSleeper timers = new HandSleeper(ticker);
        KnownRejections rejections = new KnownRejections(16, ticker, timers);
        timers.rejects = true;
        reject(rejections, "a");
        timers.rejects = false;
        reject(rejections, "b");
        assertThat(rejections.count()).isEqualTo(2);
        assertThat(timers.pending()).isEqualTo(1);
    }

    /** Records a rejection and returns its state. */
    private WeakReference<Object> reject(KnownRejections rejections, String key) {
        SlidingLog log = SlidingLog.of(1, Duration.ofDays(1));
        Request one = Request.take(1, 0);
        SlidingLog.State state = log.step(null, redisClock.micros(), one).state();
        Verdict rejection = log.step(state, redisClock.micros(), one).verdict();
        rejections.decided(
                new KeyRequests<>(key, log, List.of(one)),
                List.of(rejection),
                state,
                redisClock.micros(),
                rejections.readNanos());
        return new WeakReference<>(state);
    }

    @Test
    void a_refund_after_a_rejection_in_the_same_batch_removes_it() {
        Cached cached = cached(16);
        Request eleven = Request.take(11, 0);
        Decisions.decideIn(cached.others, List.of(new KeyRequests<>("k", TEN, List.of(eleven, Request.refund(1)))));
        assertThat(cached.engine.tryAcquire("k", TEN, 11, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
        Decisions.decideIn(cached.others, List.of(new KeyRequests<>("k", TEN, List.of(Request.refund(1), eleven))));
        assertThat(cached.engine.tryAcquire("k", TEN, 11, 0)).isEqualTo(ImmediateEngine.Known.STILL_REJECTED);
    }

    @Test
    void a_grant_does_not_remove_the_rejection_of_another_key_in_the_same_slot() {
        Cached cached = cached(1);
        cached.take("k", TEN, 10);
        assertThat(cached.take("k", TEN, 1)).isFalse();
        assertThat(cached.take("other", TEN, 1)).isTrue();
        cached.newRequests();
        assertThat(cached.take("k", TEN, 1)).isFalse();
        assertThat(cached.newRequests()).isZero();
    }

    @Test
    void a_rejection_is_cached_for_a_second_at_most() {
        Cached cached = cached(16);
        cached.take("k", ONE_IN_TEN_SECONDS, 1);
        cached.take("k", ONE_IN_TEN_SECONDS, 1);
        cached.take("never", ONE_IN_TEN_SECONDS, 2);
        cached.newRequests();
        advance(Duration.ofNanos(999_999_000));
        assertThat(cached.take("k", ONE_IN_TEN_SECONDS, 1)).isFalse();
        assertThat(cached.take("never", ONE_IN_TEN_SECONDS, 2)).isFalse();
        assertThat(cached.newRequests()).isZero();
        advance(Duration.ofNanos(1000));
        cached.take("k", ONE_IN_TEN_SECONDS, 1);
        cached.take("never", ONE_IN_TEN_SECONDS, 2);
        assertThat(cached.newRequests()).isEqualTo(2);
    }

    @Test
    void validity_counts_from_the_sending_and_retry_after_from_the_reply() {
        KnownRejections rejections = new KnownRejections(16, ticker);
        long sent = rejections.readNanos();
        ticker.advance(Duration.ofMillis(30));
        Request one = Request.take(1, 0);
        long now = redisClock.micros();
        RedisPermits empty = TEN.step(null, now, Request.take(10, 0)).state();
        Step<RedisPermits> rejected = TEN.step(empty, now, one);
        rejections.decided(
                new KeyRequests<>("k", TEN, List.of(one)), List.of(rejected.verdict()), rejected.state(), now, sent);
        ticker.advance(Duration.ofMillis(69));
        assertThat(rejections.find("k", TEN, one).toDecision().retryAfter())
                .as("100 ms from the answer on, 69 ms ago")
                .hasValue(Duration.ofMillis(31));
        ticker.advance(Duration.ofMillis(1));
        assertThat(rejections.find("k", TEN, one))
                .as("100 ms after it was sent")
                .isNull();
    }

    @Test
    void refunded_permits_can_be_acquired_immediately() {
        Cached cached = cached(16);
        assertThat(cached.take("k", TEN, 10)).isTrue();
        assertThat(cached.take("k", TEN, 1)).isFalse();
        cached.refund("k", TEN, 3);
        assertThat(cached.take("k", TEN, 3)).isTrue();
        assertThat(cached.take("k", TEN, 1)).isFalse();
    }

    @Test
    void requests_for_fewer_permits_or_with_longer_timeouts_reach_the_backend() {
        Cached cached = cached(16);
        cached.take("k", TEN, 8);
        cached.take("k", TEN, 5);
        cached.newRequests();
        assertThat(cached.decide("k", TEN, Request.take(5, 300_000)).isGranted())
                .isTrue();
        assertThat(cached.take("k", TEN, 5)).isFalse();
        assertThat(cached.take("k", TEN, 4)).isFalse();
        assertThat(cached.newRequests()).isEqualTo(3);
    }

    @Test
    void a_grant_of_as_many_permits_removes_the_rejection_of_its_key() {
        Cached cached = cached(16);
        cached.take("k", TEN, 5);
        assertThat(cached.take("k", TEN, 6)).isFalse();
        cached.others.takeElsewhere("k", TEN, Request.refund(5));
        assertThat(Decisions.decide(cached.others, "k", TEN, Request.take(6, 0)).isGranted())
                .isTrue();
        assertThat(cached.engine.tryAcquire("k", TEN, 6, 0)).isEqualTo(ImmediateEngine.Known.UNKNOWN);
    }

    @Test
    void a_grant_of_fewer_permits_changes_only_what_remains() {
        Cached cached = cached(16);
        cached.take("k", TEN, 5);
        assertThat(cached.decide("k", TEN, Request.take(6, 0)).remaining()).isEqualTo(5);
        assertThat(cached.take("k", TEN, 2)).isTrue();
        assertThat(cached.decide("k", TEN, Request.take(6, 0)))
                .isEqualTo(
                        outcome(false, 10, 3, 300_000, 300_000, 700_000).withSource(Decision.Source.REJECTION_CACHE));
        cached.refund("k", TEN, 1);
        cached.newRequests();
        assertThat(cached.take("k", TEN, 6)).isFalse();
        assertThat(cached.newRequests()).isOne();
    }

    /** A log replies only what its own requests need, and knows nothing of larger ones. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requests_that_leave_permits_stay_rejected_while_others_take_those(boolean isLog) {
        Cached cached = cached(16);
        Limit limit = isLog ? SlidingLog.of(10, Duration.ofSeconds(1)) : FixedWindow.of(10, Duration.ofSeconds(1));
        LimitStep<?> step = limit.asStep();
        Request low = Request.take(1, 0).withLeave(4);
        for (int i = 0; i < 6; i++) {
            assertThat(cached.decide("k", step, low).isGranted()).isTrue();
        }
        assertThat(cached.decide("k", step, low).isGranted()).isFalse();
        cached.newRequests();
        for (int i = 0; i < 4; i++) {
            assertThat(cached.take("k", step, 1)).isTrue();
            Outcome known = cached.decide("k", step, low);
            assertThat(known.source()).isEqualTo(Decision.Source.REJECTION_CACHE);
            assertThat(known.verdict().remaining()).isZero();
        }
        assertThat(cached.newRequests()).isEqualTo(4);
        Outcome ofMore = cached.decide("k", step, Request.take(1, 0).withLeave(5));
        assertThat(ofMore.source()).isEqualTo(isLog ? Decision.Source.BACKEND : Decision.Source.REJECTION_CACHE);
        assertThat(cached.decide("k", step, Request.takeUpTo(3)).source())
                .as("needs less")
                .isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void a_known_rejection_of_one_permit_answers_who_takes_what_is_left_and_one_of_more_does_not() {
        Cached cached = cached(16);
        cached.take("k", TEN, 7);
        assertThat(cached.take("k", TEN, 4)).isFalse();
        cached.newRequests();
        assertThat(cached.decide("k", TEN, Request.takeUpTo(4)).verdict().taken())
                .isEqualTo(3);
        assertThat(cached.newRequests()).isOne();
        assertThat(cached.take("k", TEN, 1)).isFalse();
        cached.newRequests();
        assertThat(cached.decide("k", TEN, Request.takeUpTo(4)).isGranted()).isFalse();
        assertThat(cached.newRequests()).isZero();
    }

    @Test
    void a_peek_reaches_the_backend_and_changes_no_cached_rejection() {
        Cached cached = cached(16);
        TokenBucket startsEmpty = TokenBucket.of(1, 10).withStartsFull(false);
        Request peek = Request.peek(1, 0);
        assertThat(cached.decide("k", startsEmpty, peek).isGranted()).isFalse();
        advance(Duration.ofMillis(400));
        assertThat(cached.decide("k", startsEmpty, Request.take(1, 0))
                        .toDecision()
                        .retryAfter())
                .as("the bucket comes into being with the first request, and not with a peek")
                .hasValue(Duration.ofSeconds(1));
        advance(Duration.ofMillis(600));
        cached.newRequests();
        assertThat(cached.decide("k", startsEmpty, peek).toDecision().retryAfter())
                .hasValue(Duration.ofMillis(400));
        assertThat(cached.newRequests()).isEqualTo(1);
        assertThat(cached.take("k", startsEmpty, 1)).isFalse();
        assertThat(cached.newRequests()).isZero();
        advance(Duration.ofMillis(400));
        assertThat(cached.take("k", startsEmpty, 1)).isTrue();
    }

    @Test
    void another_limit_for_the_key_reaches_the_backend_and_removes_the_rejection() {
        Cached cached = cached(16);
        cached.take("k", TEN, 10);
        cached.take("k", TEN, 1);
        cached.newRequests();
        assertThat(cached.take("k", TokenBucket.of(20, 1), 1)).isFalse();
        assertThat(cached.take("k", TEN, 1)).isFalse();
        assertThat(cached.newRequests()).isEqualTo(2);
    }

    @Test
    void a_rejection_by_a_cold_limiter_is_not_cached() {
        TokenBucket limit = TokenBucket.perSecond(10)
                .withWarmUp(WarmUp.of(Duration.ofSeconds(4)))
                .withMaxWait(Duration.ofMillis(2450));
        Cached cached = cached(16);
        Request ten = Request.take(10, 2_450_000);
        assertThat(cached.decide("k", limit, ten).toDecision().retryAfter()).isEmpty();
        assertThat(cached.others.takeElsewhere("k", limit, Request.take(3, 0)).isGranted())
                .isTrue();
        advance(Duration.ofMillis(900));
        assertThat(cached.decide("k", limit, ten).isGranted()).isTrue();
    }

    @Test
    void two_keys_can_share_the_only_slot() {
        Cached cached = cached(1);
        for (String key : List.of("a", "b")) {
            assertThat(cached.take(key, TEN, 10)).isTrue();
        }
        for (int i = 0; i < 20; i++) {
            assertThat(cached.take("a", TEN, 1)).isFalse();
            assertThat(cached.take("a", TEN, 1)).isFalse();
            assertThat(cached.take("b", TEN, 1)).isFalse();
        }
        assertThat(cached.newRequests()).isEqualTo(2 + 40);
        advance(Duration.ofMillis(100));
        assertThat(cached.take("b", TEN, 1)).isTrue();
        assertThat(cached.take("a", TEN, 1)).isTrue();
    }

    @Test
    void with_a_size_of_zero_every_request_reaches_the_backend() {
        Cached cached = cached(0);
        for (int i = 0; i < 10; i++) {
            assertThat(cached.take("never", ONE_IN_TEN_SECONDS, 2)).isFalse();
        }
        assertThat(cached.newRequests()).isEqualTo(10);
    }

    @Test
    void the_rejection_of_a_window_holds_until_the_window_ends() {
        Cached cached = cached(16);
        FixedWindow window = FixedWindow.of(2, Duration.ofMillis(500));
        Outcome first = cached.decide("k", window, Request.take(2, 0));
        advance(Duration.ofMillis(200));
        cached.take("k", window, 1);
        cached.newRequests();
        advance(Duration.ofNanos(299_999_000));
        Outcome known = cached.decide("k", window, Request.take(2, 0));
        assertThat(known.source()).isEqualTo(Decision.Source.REJECTION_CACHE);
        assertThat(known.verdict().retryAfterMicros()).isOne();
        assertThat(known.verdict().periodEndMicros())
                .as("does not move")
                .isEqualTo(first.verdict().periodEndMicros());
        assertThat(cached.newRequests()).isZero();
        advance(Duration.ofNanos(1000));
        assertThat(cached.take("k", window, 2)).isTrue();
    }

    @Test
    void a_size_out_of_range_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KnownRejections(-1, Ticker.systemTicker()))
                .withMessage("size of the rejection cache must be from 0 to 16777216, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KnownRejections((1 << 24) + 1, Ticker.systemTicker()));
    }

    private void advance(Duration duration) {
        redisClock.advance(duration);
        ticker.advance(duration);
    }

    private Cached cached(int size) {
        KnownRejections rejections = new KnownRejections(size, ticker);
        SteppingEngine backend = new SteppingEngine(redisClock::micros, rejections);
        return new Cached(new RejectionCache(rejections, backend), backend);
    }

    /** A rejection cache, and a backend that other JVMs use too. */
    private static final class Cached {

        private final RejectionCache engine;
        private final SteppingEngine others;
        private int seen;

        Cached(RejectionCache engine, SteppingEngine others) {
            this.engine = engine;
            this.others = others;
        }

        /** Both ways agree. */
        boolean take(String key, LimitStep<?> limit, long permits) {
            boolean rejected = engine.tryAcquire(key, limit, permits, 0) == ImmediateEngine.Known.STILL_REJECTED;
            boolean granted = decide(key, limit, Request.take(permits, 0)).isGranted();
            assertThat(rejected && granted).isFalse();
            return granted;
        }

        void refund(String key, LimitStep<?> limit, long permits) {
            assertThat(decide(key, limit, Request.refund(permits)).isGranted()).isTrue();
        }

        Outcome decide(String key, LimitStep<?> limit, Request request) {
            return Decisions.decide(engine, key, limit, request);
        }

        /** The number of requests that reached the backend since the last call. */
        int newRequests() {
            int before = seen;
            seen = others.requests();
            return seen - before;
        }
    }
}
