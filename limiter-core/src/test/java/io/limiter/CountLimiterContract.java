package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What limiters that count grants do on every engine: fixed windows, sliding logs and sliding counters. */
abstract class CountLimiterContract extends LimiterContract {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @Test
    void a_rejected_call_takes_no_permits() {
        for (Limiter limiter : allKinds(3)) {
            assertThat(limiter.tryAcquire(2)).isTrue();
            for (int i = 0; i < 9; i++) {
                assertThat(limiter.tryAcquire(2)).isFalse();
                assertThat(limiter.tryAcquire(4)).isFalse();
            }
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void of_several_permits_those_that_are_left_are_taken() {
        for (Limiter limiter : allKinds(25)) {
            assertThat(Stream.generate(() -> limiter.tryAcquireUpTo(10)).limit(4))
                    .containsExactly(10L, 10L, 5L, 0L);
            Limiter.Async async = limiter.on("async").async();
            assertThat(Stream.generate(() -> async.tryAcquireUpTo(10).join()).limit(4))
                    .containsExactly(10L, 10L, 5L, 0L);
            Limiter all = limiter.on("all");
            assertThat(all.tryAcquireUpTo(Ranges.MAX_PERMITS)).isEqualTo(25);
            assertThat(all.decide(1).remaining()).isZero();
            all.refund(3);
            assertThat(all.tryAcquireUpTo(25)).isEqualTo(3);
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquireUpTo(0));
        }
    }

    /** Requests that share a call, too. */
    @Test
    void threads_that_take_what_is_left_take_exactly_the_limit() {
        int permits = Math.min(1_000, steps(1_000));
        for (Limiter limiter : allKinds(permits)) {
            AtomicLong taken = new AtomicLong();
            AtomicInteger thread = new AtomicInteger();
            Concurrently.run(8, () -> {
                int each = 1 + thread.getAndIncrement() % 4;
                for (long got = each; got > 0; taken.addAndGet(got)) {
                    got = limiter.tryAcquireUpTo(each);
                }
            });
            assertThat(taken).hasValue(permits);
        }
    }

    @Test
    void each_key_has_permits_of_its_own() {
        for (Limiter limiter : allKinds(1)) {
            assertThat(limiter.tryAcquire("a")).isTrue();
            assertThat(limiter.tryAcquire("b")).isTrue();
            assertThat(limiter.tryAcquire("a")).isFalse();
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void async_decides_as_blocking_does() {
        for (Limiter limiter : allKinds(4)) {
            for (long permits : new int[] {3, 2, 5, 1, 1}) {
                assertThat(limiter.on("async").async().decide(permits).join())
                        .isEqualTo(limiter.on("blocking").decide(permits));
                clock().advance(Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void a_changed_limit_applies_to_permits_granted_before() {
        for (Limiter limiter : allKinds(2)) {
            assertThat(limiter.tryAcquire(2)).isTrue();
        }
        for (Limiter limiter : allKinds(5)) {
            assertThat(limiter.tryAcquire(4)).isFalse();
            assertThat(limiter.tryAcquire(3)).isTrue();
        }
    }

    @Test
    void a_changed_period_applies_to_permits_granted_before() {
        for (Limiter limiter : allKinds(5)) {
            assertThat(limiter.tryAcquire(5)).isTrue();
        }
        Duration hour = Duration.ofHours(1);
        assertThat(limiters()
                        .build("k", FixedWindow.of(6, Duration.ofSeconds(4)))
                        .decide(2))
                .as("the window ends sooner")
                .isEqualTo(decision(false, 6, 1, 4_000_000, 4_000_000, 4_000_000));
        assertThat(limiters().build("k", SlidingLog.of(6, hour)).peek(2))
                .isEqualTo(decision(false, 6, 1, 3_600_000_000L, 3_600_000_000L, 3_600_000_000L));
        assertThat(limiters().build("k", SlidingCounter.of(6, hour)).tryAcquire(2))
                .isFalse();
    }

    @Test
    void a_clock_that_steps_back_frees_no_permits_and_rejects_no_longer_than_the_period() {
        for (Limiter limiter : allKinds(1)) {
            assertThat(limiter.tryAcquire()).isTrue();
            clock().advance(Duration.ofDays(-1));
            assertThat(limiter.tryAcquire()).isFalse();
            clock().advance(Duration.ofMillis(9_999));
            assertThat(limiter.tryAcquire()).isFalse();
            // A counter also counts the window before.
            clock().advance(Duration.ofMillis(limiter.limit() instanceof SlidingCounter ? 10_001 : 1));
            assertThat(limiter.tryAcquire()).as(limiter.toString()).isTrue();
        }
    }

    @Test
    void another_kind_of_limit_under_the_same_name_has_permits_of_its_own() {
        List<Limit> kinds = List.of(
                TokenBucket.of(1, 1),
                FixedWindow.of(1, TEN_SECONDS),
                SlidingLog.of(1, TEN_SECONDS),
                SlidingCounter.of(1, TEN_SECONDS),
                SlidingLog.of(1, TEN_SECONDS),
                FixedWindow.of(1, TEN_SECONDS));
        for (int i = 0; i < kinds.size(); i++) {
            Limiter limiter = limiters().build("switched", kinds.get(i));
            // The last two kinds are there a second time.
            assertThat(limiter.tryAcquire("key")).as(limiter.toString()).isEqualTo(i < 4);
            assertThat(limiter.tryAcquire("key")).isFalse();
        }
    }

    @Test
    void threads_are_granted_exactly_the_limit() {
        for (Limiter limiter : allKinds(100)) {
            AtomicInteger granted = new AtomicInteger();
            Concurrently.run(8, () -> {
                for (int i = 0; i < 25; i++) {
                    if (limiter.tryAcquire()) {
                        granted.incrementAndGet();
                    }
                }
            });
            assertThat(granted).as(limiter.toString()).hasValue(100);
        }
    }

    @Test
    void limits_of_any_size_are_exact_at_the_last_permit() {
        Duration month = Duration.ofDays(30);
        for (long limit : new long[] {1L << 31, 5_000_000_000L, 1L << 32, 1_000_000_000_000L, (1L << 53) - 1}) {
            for (Limit kind : List.of(FixedWindow.of(limit, month), SlidingCounter.of(limit, month))) {
                Limiter limiter = limiters().build("k" + limit, kind);
                assertThat(limiter.limit().capacity()).isEqualTo(limit);
                assertThat(limiter.tryAcquire(limit)).as(limiter.toString()).isTrue();
                assertThat(limiter.tryAcquire()).isFalse();
                assertThat(limiter.refund(limit / 3 * 2).remaining()).isEqualTo(limit / 3 * 2);
                assertThat(limiter.tryAcquire(limit / 3 * 2 + 1)).isFalse();
                assertThat(limiter.decide(limit / 3 * 2 - 1).remaining()).isEqualTo(1);
                assertThat(limiter.tryAcquire(2)).isFalse();
                assertThat(limiter.peek().isGranted()).isTrue();
                assertThat(limiter.tryAcquire()).as(limiter.toString()).isTrue();
                assertThat(limiter.tryAcquire()).as(limiter.toString()).isFalse();
                // A debt beyond the limit, which a refund pays.
                assertThat(limiter.charge(limit / 2).remaining()).isZero();
                limiter.refund(limit / 2);
                assertThat(limiter.reserve(limit).isGranted()).isFalse();
            }
        }
    }

    @Test
    void reservations_of_any_size_are_settled_to_the_permit() {
        Limiter limiter = limiters().build("k", FixedWindow.of(5_000_000_000L, Duration.ofDays(30)));
        assertThat(limiter.reserve(4_000_000_000L).settle(3_999_999_999L)).isTrue();
        assertThat(limiter.peek().remaining()).isEqualTo(1_000_000_001L);
        assertThat(limiter.reserve(1).settle(1_000_000_001L)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        Reservation last = limiters().build("other", limiter.limit()).reserve(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> last.settle(1L << 53))
                .withMessageStartingWith("actual must be at most 9007199254740991 (2^53 - 1");
        assertThat(last.settle(2)).isTrue();
    }

    @Test
    void more_permits_than_can_be_counted_are_errors() {
        for (Limiter limiter : allKinds(1)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.tryAcquire(1L << 53))
                    .withMessage(
                            "permits must be at most 9007199254740991 (2^53 - 1, the most that can be counted exactly),"
                                    + " was 9007199254740992");
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.charge(Long.MAX_VALUE));
        }
    }

    @Test
    void invalid_permits_and_keys_are_errors() {
        for (Limiter limiter : allKinds(1)) {
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(0));
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(""));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.async().decide(0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.on("").async().decide(1));
        }
    }

    @Test
    void an_aligned_window_ends_by_the_clock() {
        // The clock starts at 2025-11-20T14:46:40.123456Z.
        Limiter limiter =
                limiters().build("k", FixedWindow.of(2, CalendarPeriod.MINUTE.in(ZoneId.of("Europe/Berlin"))));
        assertThat(limiter.decide(2).isGranted()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        Instant end = Instant.parse("2025-11-20T14:47:00Z");
        assertThat(limiter.decide("key"))
                .isEqualTo(decision(true, 2, 1, 0, 0, untilMinute()).withPeriodEnd(end));
        clock().sleep(untilMinute());
        Instant next = end.plusSeconds(60);
        assertThat(limiter.peek().periodEnd()).as("of an unused period").contains(next);
        assertThat(limiter.decide(2))
                .isEqualTo(decision(true, 2, 0, 0, 0, 60_000_000).withPeriodEnd(next));
        assertThat(limiter.decide(1))
                .isEqualTo(decision(false, 2, 0, 60_000_000, 60_000_000, 60_000_000)
                        .withPeriodEnd(next));
    }

    @Test
    void after_the_end_of_a_period_nothing_is_returned_and_what_exceeds_the_estimate_is_charged() {
        Limiter limiter = limiters().build("k", FixedWindow.of(10, CalendarPeriod.MINUTE));
        Reservation estimated = limiter.reserve(4);
        Reservation cancelled = limiter.reserve(3);
        clock().sleep(untilMinute());
        assertThat(estimated.settle(6)).isTrue();
        assertThat(limiter.peek().remaining()).as("two of the new period").isEqualTo(8);
        cancelled.cancel();
        assertThat(limiter.peek().remaining()).as("taken in the last period").isEqualTo(8);
        Reservation more = limiter.reserve(5);
        clock().sleep(untilMinute());
        more.settle(1);
        assertThat(limiter.peek().remaining()).isEqualTo(10);
        limiter.decide(5);
        limiter.refund(2);
        assertThat(limiter.peek().remaining())
                .as("a refund is of the open period")
                .isEqualTo(7);
    }

    @Test
    void a_period_ends_when_its_window_does() {
        Limiter limiter = window(2);
        assertThat(limiter.peek().periodEnd()).as("before the window opens").isEmpty();
        Instant end = Instant.EPOCH.plus(clock().micros() + 10_000_000, ChronoUnit.MICROS);
        assertThat(limiter.decide(2).periodEnd()).contains(end);
        clock().sleep(1_000_000);
        assertThat(limiter.decide(1).periodEnd()).contains(end);
        assertThat(limiter.peek().periodEnd()).contains(end);
        assertThat(log(2).decide(1).periodEnd()).as("a log has no periods").isEmpty();
    }

    private long untilMinute() {
        return 60_000_000 - clock().micros() % 60_000_000;
    }

    private Limiter window(int limit) {
        return limiters().build("k", FixedWindow.of(limit, TEN_SECONDS));
    }

    private Limiter log(int limit) {
        return limiters().build("k", SlidingLog.of(limit, TEN_SECONDS));
    }

    private Limiter counter(int limit) {
        return limiters().build("k", SlidingCounter.of(limit, TEN_SECONDS));
    }

    private List<Limiter> allKinds(int limit) {
        return List.of(window(limit), log(limit), counter(limit));
    }
}
