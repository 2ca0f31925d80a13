package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The steps of a ban, for one key. */
class BanTest {

    private static final long SECOND = 1_000_000;
    private static final long START = 1_763_650_000_123_456L;
    private static final Ban BAN = Ban.after(3, Duration.ofSeconds(60)).withLengths(seconds(300), seconds(1500));

    private final Timeline<Ban.State> timeline = new Timeline<>(BAN);
    private long now = START;

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private Verdict count() {
        return timeline.charge(now, 1);
    }

    private Verdict take() {
        return timeline.take(now, 1, 0);
    }

    /** Counts rejections until one bans, and returns the length of the ban in seconds. */
    private double banned() {
        for (int i = 1; i < BAN.after(); i++) {
            assertThat(count().isGranted()).isTrue();
            assertThat(take().isGranted()).isTrue();
        }
        Verdict counted = count();
        assertThat(counted.isGranted()).isFalse();
        assertThat(counted.ticketMicros()).isEqualTo(now);
        return counted.retryAfterMicros() / 1e6;
    }

    @Test
    void only_the_rejection_that_completes_the_number_bans() {
        assertThat(banned()).isEqualTo(300);
        assertThat(take()).isEqualTo(verdict(false, 3, 0, 300 * SECOND, 300 * SECOND, 1800 * SECOND));
        now += 300 * SECOND - 1;
        assertThat(take().retryAfterMicros()).isEqualTo(1);
        now++;
        assertThat(take().isGranted()).isTrue();
    }

    @Test
    void rejections_count_for_the_interval_and_not_a_microsecond_longer() {
        count();
        now += 1;
        count();
        now += 60 * SECOND - 1;
        assertThat(count().isGranted()).as("the first is a minute old").isTrue();
        assertThat(count().isGranted()).isFalse();
    }

    @Test
    void rejections_by_the_ban_neither_count_nor_prolong_it() {
        banned();
        Ban.State banned = timeline.state();
        now += SECOND;
        for (int i = 0; i < 10; i++) {
            Verdict counted = count();
            assertThat(counted.isGranted()).isFalse();
            assertThat(counted.ticketMicros()).as("only one begins the ban").isZero();
            take();
        }
        assertThat(timeline.state()).isSameAs(banned);
        now += 299 * SECOND;
        count();
        count();
        assertThat(take().isGranted()).as("two of three").isTrue();
    }

    @Test
    void each_ban_is_twice_as_long_as_the_one_before_up_to_the_longest() {
        for (long expected : new long[] {300, 600, 1200, 1500, 1500}) {
            assertThat(banned()).isEqualTo(expected);
            // The longest time with which a record is not good yet.
            now += (expected + 1500) * SECOND - 1;
        }
        now++;
        assertThat(banned()).as("after a good record").isEqualTo(300);
    }

    @Test
    void many_rejections_at_once_are_one_ban() {
        assertThat(timeline.charge(now, 1_000_000).retryAfterMicros()).isEqualTo(300 * SECOND);
        assertThat(timeline.charge(now, 1_000_000).ticketMicros()).isZero();
    }

    @Test
    void a_peek_a_refund_and_a_granted_request_change_nothing() {
        count();
        Ban.State counted = timeline.state();
        take();
        timeline.refund(now, 1);
        timeline.peek(now, 1, 0);
        assertThat(timeline.state()).isSameAs(counted);
        timeline.charge(now, 2);
        Ban.State banned = timeline.state();
        assertThat(timeline.peek(now, 1, 0).isGranted()).isFalse();
        assertThat(timeline.refund(now, 1).isGranted()).isTrue();
        assertThat(timeline.state()).isSameAs(banned);
    }

    @Test
    void a_ban_that_has_begun_stays_when_the_definition_changes() {
        banned();
        timeline.limit(BAN.withLengths(seconds(10), seconds(20)));
        now += 299 * SECOND;
        assertThat(take().retryAfterMicros()).isEqualTo(SECOND);
        now += SECOND;
        count();
        count();
        assertThat(count().retryAfterMicros()).isEqualTo(20 * SECOND);
    }

    @Test
    void after_the_clock_stepped_back_a_ban_lasts_no_longer_than_its_length_from_then_on() {
        count();
        now += SECOND;
        timeline.charge(now, 2);
        now -= 3600 * SECOND;
        assertThat(timeline.peek(now, 1, 0).retryAfterMicros()).isEqualTo(300 * SECOND);
        assertThat(take().retryAfterMicros()).isEqualTo(300 * SECOND);
        now += 300 * SECOND;
        assertThat(take().isGranted()).isTrue();
    }

    @Test
    void after_the_clock_stepped_back_rejections_count_as_if_they_were_made_now() {
        count();
        count();
        now -= 3600 * SECOND;
        assertThat(count().isGranted()).as("three within a minute").isFalse();
    }

    @Test
    void after_the_clock_stepped_back_rejections_are_forgotten_after_the_interval() {
        count();
        now -= 3600 * SECOND;
        count();
        now += 60 * SECOND;
        assertThat(count().isGranted()).isTrue();
        assertThat(count().isGranted()).as("the first two are a minute old").isTrue();
        assertThat(count().isGranted()).isFalse();
    }

    @Test
    void a_ban_has_no_holders() {
        assertThatIllegalArgumentException().isThrownBy(() -> timeline.step(now, Request.hold(1, 1)));
    }

    @Test
    void the_state_is_kept_until_the_record_is_good() {
        count();
        assertThat(BAN.lifetimeMillis(timeline.state(), now)).isEqualTo(61_000);
        timeline.charge(now, 2);
        assertThat(BAN.lifetimeMillis(timeline.state(), now)).isEqualTo(1_801_000);
        Verdict full = timeline.peek(now, 1, 0);
        assertThat(full.fullAfterMicros()).isEqualTo(1800 * SECOND);
    }

    /** Against a list of all rejections, which knows nothing of states. */
    @Test
    void random_rejections_ban_as_an_account_of_them_predicts() {
        Random random = Seed.random();
        for (int round = 0; round < 200; round++) {
            Ban ban = Ban.after(1 + random.nextInt(8), seconds(1 + random.nextInt(100)))
                    .withLengths(seconds(1 + random.nextInt(50)), seconds(50 + random.nextInt(500)));
            Timeline<Ban.State> key = new Timeline<>(ban);
            Deque<Long> rejections = new ArrayDeque<>();
            long until = 0;
            long length = 0;
            long at = START;
            for (int i = 0; i < 500; i++) {
                at += random.nextInt(20) == 0 ? random.nextLong(700 * SECOND) : random.nextLong(10 * SECOND);
                assertThat(key.take(at, 1, 0).isGranted())
                        .as("%s, step %s %s", ban, i, Seed.hint())
                        .isEqualTo(at >= until);
                if (at < until) {
                    continue;
                }
                rejections.add(at);
                long since = at - ban.withinMicros();
                rejections.removeIf(time -> time <= since);
                if (rejections.size() == ban.after()) {
                    boolean good = length == 0 || at >= until + ban.atMostMicros();
                    length = Math.min(good ? ban.lastingMicros() : 2 * length, ban.atMostMicros());
                    until = at + length;
                    rejections.clear();
                }
                Verdict counted = key.charge(at, 1);
                assertThat(counted.retryAfterMicros()).as(Seed.hint()).isEqualTo(Math.max(0, until - at));
                assertThat(counted.ticketMicros()).isEqualTo(at < until ? at : 0);
            }
        }
    }

    @Test
    void the_first_ban_is_at_most_as_long_as_the_longest() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ban.after(1).withLengths(seconds(3), seconds(2)))
                .withMessage(
                        "lasting must be at most atMost, which is PT2S, was PT3S: make the first ban shorter, or the"
                                + " longest one longer");
        assertThat(Ban.after(10))
                .isEqualTo(Ban.after(10, Duration.ofMinutes(1)).withLengths(Duration.ofMinutes(5), Duration.ofDays(1)));
        assertThat(BAN.scaled(0.1)).isSameAs(BAN);
    }

    @Test
    void a_state_is_in_order_and_in_range() {
        for (Ban.State valid :
                List.of(new Ban.State(0, 0, List.of()), new Ban.State(0x1p53 - 1, 1, List.of(1.0, 1.0, 0x1p53 - 1)))) {
            assertThat(valid.rejectedMicros()).isNotNull();
        }
        for (double invalid : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, 0x1p53}) {
            for (List<Double> state :
                    List.of(List.of(invalid, 0.0, 0.0), List.of(0.0, invalid, 0.0), List.of(0.0, 0.0, invalid))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> new Ban.State(state.get(0), state.get(1), List.of(state.get(2))))
                        .withMessageStartingWith("not a ban's state: ");
            }
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new Ban.State(0, 0, List.of(2.0, 1.0)));
    }
}
