package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What limit sets do on every engine. */
abstract class LimitSetContract extends LimiterContract {

    private static final double NEVER = Double.POSITIVE_INFINITY;

    /** One request: when, for how many permits, which limit rejects it, its retry-after, and the remaining permits of all limits. */
    private record Case(
            double second, long permits, String rejectedBy, double retryAfter, long fives, long threes, long twos) {}

    /** A rejection is cached for at most a second, so rejections that differ lie a second apart. */
    private static final List<Case> CASES = List.of(
            new Case(0, 1, "", 0, 4, 2, 1),
            new Case(0, 2, "twos", 2, 4, 2, 1),
            new Case(1, 3, "twos", NEVER, 5, 2, 1),
            new Case(2, 6, "fives", NEVER, 5, 2, 2),
            new Case(3, 2, "", 0, 3, 0, 0),
            new Case(3, 1, "threes", 7, 3, 0, 0),
            new Case(4, 1, "threes", 6, 4, 0, 0),
            new Case(10, 2, "", 0, 3, 1, 0),
            new Case(11, 2, "threes", 9, 4, 1, 0),
            new Case(20, 2, "", 0, 3, 1, 0));

    @Test
    void permits_are_taken_of_all_limits_or_of_none() {
        RateLimiter fives = limiters().build("fives", 1, 5, 60);
        Limiter threes = limiters().build("threes", FixedWindow.of(3, Duration.ofSeconds(10)));
        RateLimiter twos = limiters().build("twos", 0.5, 4, 60);
        LimitSet set = LimitSet.of(fives.on("alice"), threes.on("alice"), twos.on("acme"));
        for (Case c : CASES) {
            clock().atSecond(c.second);
            SetDecision decision = set.decide(c.permits);
            assertThat(decision.isGranted()).as("%s: %s", c, decision).isEqualTo(c.rejectedBy.isEmpty());
            assertThat(decision.rejectedBy().orElse(""))
                    .as("%s: %s", c, decision)
                    .isEqualTo(c.rejectedBy);
            assertThat(decision.retryAfter())
                    .as("%s: %s", c, decision)
                    .isEqualTo(
                            c.retryAfter == 0 || c.retryAfter == NEVER
                                    ? Optional.empty()
                                    : Optional.of(Duration.ofSeconds((long) c.retryAfter)));
            assertThat(List.of(
                            fives.on("alice").peek().remaining(),
                            threes.on("alice").peek().remaining(),
                            twos.on("acme").peek().remaining()))
                    .as("%s leaves", c)
                    .containsExactly(c.fives, c.threes, c.twos);
        }
    }

    @Test
    void a_part_that_would_have_granted_has_its_remaining_permits() {
        RateLimiter many = limiters().build("many", 1, 5, 60);
        Limiter few = limiters().build("few", FixedWindow.of(1, Duration.ofSeconds(10)));
        LimitSet set = LimitSet.of(many, few);
        assertThat(set.tryAcquire()).isTrue();
        SetDecision rejected = set.decide(2);
        assertThat(rejected.parts())
                .extracting(part -> part.decision().isGranted())
                .containsExactly(true, false);
        assertThat(rejected.parts().get(0).decision().remaining()).isEqualTo(4);
        assertThat(rejected.parts()).extracting(SetDecision.OfPart::limiter).containsExactlyElementsOf(set.limiters());
        assertThat(rejected.decision().limit()).isEqualTo(1);
        assertThat(rejected.decision().remaining()).isZero();
    }

    @Test
    void a_limit_rejects_whatever_its_place_in_the_set() {
        Limiter none = limiters().build("none", FixedWindow.of(1, Duration.ofSeconds(10)));
        Limiter some = limiters().build("some", FixedWindow.of(2, Duration.ofSeconds(20)));
        RateLimiter many = limiters().build("many", 1, 3, 60);
        none.tryAcquire();
        assertThat(LimitSet.of(none, some, many).decide(1).rejectedBy()).contains("none");
        assertThat(LimitSet.of(some, none, many).decide(1).rejectedBy()).contains("none");
        assertThat(LimitSet.of(many, some, none).decide(1).rejectedBy()).contains("none");
        assertThat(some.peek().remaining()).isEqualTo(2);
        assertThat(many.peek().remaining()).isEqualTo(3);
    }

    @Test
    void the_caller_waits_for_the_slowest_limit() {
        Duration patience = Duration.ofSeconds(10);
        RateLimiter fast = limiters().build("fast", TokenBucket.of(1, 1));
        RateLimiter slow = limiters().build("slow", TokenBucket.of(0.5, 2));
        LimitSet set = LimitSet.of(fast, slow, limiters().build("w", FixedWindow.of(3, Duration.ofDays(1))));
        assertThat(set.decide(1).timeToWait()).isZero();
        long before = clock().micros();
        SetDecision second = set.decide(1, patience);
        assertThat(second.isGranted()).isTrue();
        assertThat(second.timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(clock().micros() - before).isEqualTo(2_000_000);
        assertThat(set.async().decide(1, patience).join().timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(clock().micros() - before).isEqualTo(4_000_000);
        assertThat(set.async().decide(1, patience).join().rejectedBy()).contains("w");
        assertThat(clock().micros() - before).as("a rejection does not wait").isEqualTo(4_000_000);
    }

    @Test
    void each_limit_can_have_a_timeout_of_its_own() {
        RateLimiter hasty = limiters().build("hasty", 1, 1, 60);
        RateLimiter patient = limiters().build("patient", 0.5, 2, 60);
        LimitSet set = LimitSet.of(hasty, patient);
        assertThat(set.decide(1).isGranted()).isTrue();
        assertThat(set.decide(1, Duration.ZERO, Duration.ofSeconds(5)).rejectedBy())
                .contains("hasty");
        SetDecision waited = set.decide(1, Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(waited.timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set.decide(1, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .withMessage("timeouts must be one, or one for each of 2 limits, were 3");
    }

    @Test
    void one_timeout_applies_to_all_limits() {
        RateLimiter fast = limiters().build("fast", 1, 1, 60);
        RateLimiter slow = limiters().build("slow", 0.5, 2, 60);
        LimitSet set = LimitSet.of(fast, slow);
        assertThat(set.decide(1, Duration.ofSeconds(-1)).isGranted()).isTrue();
        SetDecision rejected = set.decide(1, Duration.ofSeconds(1));
        assertThat(rejected.rejectedBy()).contains("slow");
        assertThat(rejected.retryAfter()).hasValue(Duration.ofSeconds(1));
        assertThat(rejected.timeToWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(set.decide(1, Duration.ofSeconds(Long.MAX_VALUE)).timeToWait())
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(set.async().decide(1, Duration.ofSeconds(2)).join().isGranted())
                .isTrue();
    }

    @Test
    void the_next_caller_waits_if_the_limit_says_so() {
        TokenBucket next = TokenBucket.of(1, 1).withWhoWaits(WhoWaits.NEXT_CALLER);
        RateLimiter limiter = limiters().build("next", next);
        LimitSet set = LimitSet.of(limiter, limiters().build("w", FixedWindow.of(10, Duration.ofDays(1))));
        assertThat(set.decide(4).isGranted()).isTrue();
        assertThat(set.decide(1).rejectedBy()).contains("next");
        assertThat(set.decide(1, Duration.ofSeconds(3)).timeToWait()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void a_set_can_have_several_keys_of_one_limiter_and_its_own_permits() {
        Limiter limiter = limiters().build("k", FixedWindow.of(2, Duration.ofSeconds(10)));
        limiter.tryAcquire("b");
        LimitSet set = LimitSet.of(limiter.on("a"), limiter.on("b"), limiter);
        assertThat(set.tryAcquire()).isTrue();
        SetDecision rejected = set.decide(1);
        assertThat(rejected.rejection().orElseThrow().limiter().keys()).containsExactly("b");
        assertThat(limiter.on("a").peek().remaining()).isEqualTo(1);
        assertThat(limiter.peek().remaining()).isEqualTo(1);
        assertThat(limiter.keys()).isEmpty();
    }

    @Test
    void a_bucket_that_starts_empty_starts_with_a_rejection() {
        RateLimiter empty = limiters().build("empty", TokenBucket.of(1, 2).withStartsFull(false));
        Limiter window = limiters().build("w", FixedWindow.of(5, Duration.ofSeconds(10)));
        LimitSet set = LimitSet.of(window, empty);
        assertThat(set.decide(1).rejectedBy()).contains("empty");
        clock().atSecond(1);
        assertThat(set.tryAcquire()).isTrue();
        assertThat(window.peek().remaining()).isEqualTo(4);
    }

    @Test
    void a_new_rate_takes_effect_with_a_rejection() {
        assertThat(limiters().build("k", 0.001, 1000, 60).tryAcquire()).isTrue();
        Limiter window = limiters().build("w", FixedWindow.of(5, Duration.ofSeconds(10)));
        LimitSet faster = LimitSet.of(window, limiters().build("k", 1, 1, 60));
        assertThat(faster.decide(1).rejectedBy()).contains("k");
        clock().atSecond(1);
        assertThat(faster.tryAcquire()).isTrue();
    }

    @Test
    void a_rate_that_is_set_applies_in_sets() {
        RateLimiter limiter = limiters().build("k", 1, 1, 60);
        LimitSet set = LimitSet.of(limiter, limiters().build("w", FixedWindow.of(9, Duration.ofDays(1))));
        assertThat(set.tryAcquire()).isTrue();
        limiter.setRate(4);
        clock().atSecond(1);
        assertThat(set.decide(2).isGranted()).isTrue();
    }

    @Test
    void a_clock_that_steps_back_adds_no_permits() {
        RateLimiter bucket = limiters().build("k", 1, 2, 60);
        Limiter window = limiters().build("w", FixedWindow.of(2, Duration.ofSeconds(10)));
        LimitSet set = LimitSet.of(bucket, window);
        assertThat(set.decide(2).isGranted()).isTrue();
        clock().advance(Duration.ofSeconds(-5));
        assertThat(set.decide(1).parts()).noneMatch(part -> part.decision().isGranted());
        clock().atSecond(4);
        assertThat(set.decide(1).rejectedBy()).contains("w");
        assertThat(bucket.peek().remaining()).isEqualTo(2);
    }

    @Test
    void a_peek_takes_no_permits_and_a_refund_returns_them_to_all() {
        RateLimiter bucket = limiters().build("k", 1, 3, 60);
        Limiter window = limiters().build("w", FixedWindow.of(5, Duration.ofSeconds(10)));
        LimitSet set = LimitSet.of(bucket, window);
        assertThat(set.peek(3).isGranted()).isTrue();
        assertThat(set.peek(4).rejectedBy()).contains("k");
        assertThat(set.decide(3).decision().remaining()).isZero();
        assertThat(set.peek(1).rejectedBy()).contains("k");
        assertThat(set.refund(2).isGranted()).isTrue();
        assertThat(bucket.peek().remaining()).isEqualTo(2);
        assertThat(window.peek().remaining()).isEqualTo(4);
    }

    @Test
    void async_peeks_and_refunds_as_blocking_does() {
        RateLimiter bucket = limiters().build("k", 1, 3, 60);
        Limiter window = limiters().build("w", FixedWindow.of(5, Duration.ofSeconds(10)));
        LimitSet set = LimitSet.of(bucket, window);
        assertThat(set.async().tryAcquire().join()).isTrue();
        assertThat(set.async().decide(2).join().isGranted()).isTrue();
        assertThat(set.async().tryAcquire().join()).isFalse();
        assertThat(set.async().peek(1).join()).isEqualTo(set.peek(1));
        SetDecision refunded = set.async().refund(2).join();
        assertThat(refunded.isGranted()).isTrue();
        assertThat(refunded.parts()).extracting(SetDecision.OfPart::limiter).containsExactly(bucket, window);
        assertThat(bucket.peek().remaining()).isEqualTo(2);
        assertThat(window.peek().remaining()).isEqualTo(4);
    }

    @Test
    void several_permits_of_a_set_are_tried_with_and_without_a_timeout() {
        Duration second = Duration.ofSeconds(1);
        LimitSet set = LimitSet.of(
                limiters().build("k", 1, 3, 60), limiters().build("w", FixedWindow.of(5, Duration.ofSeconds(10))));
        assertThat(set.tryAcquire(2)).isTrue();
        assertThat(set.tryAcquire(2)).isFalse();
        assertThat(set.async().tryAcquire(2).join()).isFalse();
        assertThat(set.async().tryAcquire(1).join()).isTrue();
        assertThat(set.peek().isGranted()).isFalse();
        assertThat(set.async().peek().join()).isEqualTo(set.peek());
        assertThat(set.tryAcquire(2, second)).isFalse();
        assertThat(set.tryAcquire(1, second)).isTrue();
        assertThat(set.async().tryAcquire(1, Duration.ZERO, second).join()).isFalse();
        assertThat(set.async().tryAcquire(1, second, Duration.ZERO).join()).isTrue();
        assertThat(set.async().tryAcquire(1, second).join())
                .as("the window is full")
                .isFalse();
    }

    @Test
    void each_hash_tag_has_permits_of_its_own() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, Duration.ofSeconds(10)));
        RateLimiter bucket = limiters().build("b", 1, 1, 60);
        LimiterFactory tagging = limiters().with(LimiterOptions.NONE.withHashTag(HashTag.WHOLE_KEY));
        Limiter tagged = tagging.build("k", FixedWindow.of(1, Duration.ofSeconds(10)));
        RateLimiter taggedBucket = tagging.build("b", 1, 1, 60);
        assertThat(LimitSet.of(tagged.on("x").on("a"), taggedBucket.on("x")).tryAcquire())
                .isTrue();
        assertThat(LimitSet.of(tagged.on("x").on("a")).tryAcquire()).isFalse();
        assertThat(LimitSet.of(taggedBucket.on("x")).tryAcquire()).isFalse();
        assertThat(LimitSet.of(tagged.on("y").on("a")).tryAcquire()).isTrue();
        assertThat(limiter.on("x").on("a").tryAcquire()).isTrue();
        assertThat(bucket.tryAcquire("x")).isTrue();
        assertThat(bucket.tryAcquire()).isTrue();
        assertThat(taggedBucket.tryAcquire())
                .as("without a key they are the same")
                .isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tagged.on(" ").on("a"))
                .withMessageContaining("key must not be null or blank");
    }

    @Test
    void async_decides_as_blocking_does() {
        LimitSet blocking = mixed("blocking");
        LimitSet async = mixed("async");
        for (long permits : new int[] {3, 2, 5, 1, 1, 9}) {
            SetDecision expected = blocking.decide(permits);
            SetDecision actual = async.async().decide(permits).join();
            assertThat(actual.parts())
                    .extracting(SetDecision.OfPart::decision)
                    .containsExactlyElementsOf(expected.parts().stream()
                            .map(SetDecision.OfPart::decision)
                            .toList());
            clock().advance(Duration.ofSeconds(2));
        }
        assertThat(async.async().decide(100).join().isGranted()).isFalse();
    }

    private LimitSet mixed(String name) {
        return LimitSet.of(
                limiters().build(name + "-b", 1, 4, 60),
                limiters().build(name + "-w", FixedWindow.of(6, Duration.ofSeconds(10))));
    }

    @Test
    void threads_with_overlapping_sets_take_exactly_what_is_granted() {
        Limiter a = limiters().build("a", FixedWindow.of(40, Duration.ofDays(1)));
        RateLimiter b = limiters().build("b", 0.001, 60_000, 60);
        Limiter c = limiters().build("c", FixedWindow.of(30, Duration.ofDays(1)));
        LimitSet ab = LimitSet.of(a, b);
        LimitSet bc = LimitSet.of(c, b);
        LimitSet ca = LimitSet.of(a, c);
        List<LimitSet> sets = List.of(ab, bc, ca);
        List<AtomicInteger> granted = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        AtomicInteger alone = new AtomicInteger();
        AtomicInteger next = new AtomicInteger();
        Concurrently.run(6, () -> {
            int first = next.getAndIncrement();
            for (int i = 0; i < 18; i++) {
                int set = (first + i) % 3;
                granted.get(set).addAndGet(sets.get(set).tryAcquire() ? 1 : 0);
                if (i % 6 == 0) {
                    alone.addAndGet(b.tryAcquire() ? 1 : 0);
                }
            }
        });
        int ofAb = granted.get(0).get();
        int ofBc = granted.get(1).get();
        int ofCa = granted.get(2).get();
        assertThat(40 - a.peek().remaining()).isEqualTo(ofAb + ofCa);
        assertThat(60 - b.peek().remaining()).isEqualTo(ofAb + ofBc + alone.get());
        assertThat(30 - c.peek().remaining()).isEqualTo(ofBc + ofCa);
        assertThat(ofAb + ofBc + ofCa).isPositive();
    }

    @Test
    void sets_that_a_window_rejects_take_nothing_from_the_bucket_before_it() {
        RateLimiter bucket = limiters().build("b", 0.001, 50_000, 60);
        Limiter window = limiters().build("w", FixedWindow.of(1, Duration.ofDays(1)));
        RejectedSets.check(bucket, window, () -> clock().advance(Duration.ofMillis(1)));
    }

    @Test
    void rejected_sets_of_all_kinds_leave_what_granted_ones_have_not_taken() {
        List<Limiter> limiters = List.of(
                limiters().build("b", 0.001, 60_000, 60),
                limiters().build("w", FixedWindow.of(40, Duration.ofDays(1))),
                limiters().build("l", SlidingLog.of(30, Duration.ofDays(1))),
                limiters().build("c", SlidingCounter.of(50, Duration.ofDays(1))));
        RejectedSets.checkRandom(limiters, 50, () -> clock().advance(Duration.ofMillis(1)));
    }

    @Test
    void an_invalid_set_is_an_error() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, Duration.ofSeconds(1)));
        Limiter same = limiters().build("k", FixedWindow.of(2, Duration.ofSeconds(9)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(limiter.on("a"), limiter, same.on("a")))
                .withMessage("the same permits of 'k' are twice in one set: take each once, or more permits at a time");
        RateLimiter stranger = new LocalLimiterFactory().build("s", 1, 1, 60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(limiter, stranger))
                .withMessage("all limiters of a set must be built by one factory, but k and s were not");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(limiter).decide(0))
                .withMessage("permits must be at least 1, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.on(""));
    }

    @Test
    void each_part_can_take_another_number_of_permits() {
        RateLimiter calls = limiters().build("calls", 1, 3, 60);
        Limiter tokens = limiters().build("tokens", FixedWindow.of(1000, Duration.ofMinutes(1)));
        LimitSet set = LimitSet.of(calls.on("key")).and(tokens.on("key"), 400);
        assertThat(set.decide(1).isGranted()).isTrue();
        assertThat(calls.on("key").peek().remaining()).isEqualTo(2);
        assertThat(tokens.on("key").peek().remaining()).isEqualTo(600);
        assertThat(set.decide(2).rejectedBy()).hasValue("tokens");
        assertThat(calls.on("key").peek().remaining()).isEqualTo(2);
        set.refund(1);
        assertThat(tokens.on("key").peek().remaining()).isEqualTo(1000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(calls).and(tokens, 0))
                .withMessage("permits must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set.decide(1L << 50))
                .withMessageContaining("permits must be at most 22517998136852 where tokens takes 400 for each");
        assertThat(set.decide(1L << 40).rejectedBy()).hasValue("calls");
        LimitSet twice = LimitSet.of(tokens.on("key"), 2);
        for (long permits : new long[] {0, -1, -1_500_000_000, -Long.MAX_VALUE, Long.MIN_VALUE}) {
            String problem = "permits must be at least 1, was " + permits;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> twice.decide(permits))
                    .withMessage(problem);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> twice.refund(permits))
                    .withMessage(problem);
        }
    }
}
