package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When the pause of a client ends in an instance, by a clock that the test moves. */
class ClientPauseTest {

    private static final RandomGenerator NO_JITTER = () -> 0;

    private final TestClock clock = new TestClock();
    private final ClientPause pause = new ClientPause(clock::read, NO_JITTER);

    private static Duration seconds(double seconds) {
        return Duration.ofMillis((long) (seconds * 1000));
    }

    private static Instant stored(int second) {
        return Instant.ofEpochSecond(second);
    }

    @Test
    void there_is_none_at_first() {
        assertThat(pause.leftHere()).isZero();
    }

    @Test
    void it_is_never_shorter_than_requested() {
        pause.prolong(seconds(30));
        clock.advance(seconds(30));
        assertThat(pause.leftHere()).isPositive();
        clock.advance(ClientPause.MARGIN);
        assertThat(pause.leftHere()).isZero();
    }

    @Test
    void the_later_of_two_ends_counts() {
        assertThat(pause.prolong(seconds(30))).isTrue();
        assertThat(pause.prolong(seconds(10))).as("a shorter one").isFalse();
        assertThat(pause.left()).isEqualTo(seconds(31));
        assertThat(pause.prolong(seconds(60))).as("a longer one").isTrue();
        assertThat(pause.left()).isEqualTo(seconds(61));
    }

    @Test
    void responses_of_the_same_moment_are_announced_once() {
        assertThat(pause.prolong(seconds(30))).isTrue();
        clock.advance(seconds(0.9));
        assertThat(pause.prolong(seconds(30))).isFalse();
        clock.advance(seconds(0.2));
        assertThat(pause.prolong(seconds(30))).isTrue();
    }

    @Test
    void instances_go_on_at_different_times_within_a_tenth_and_10_s() {
        for (double length : new double[] {20, 1000}) {
            double most = Math.min(10, (length + 1) / 10);
            Random random = new Random(5);
            assertThat(IntStream.range(0, 100).mapToObj(i -> {
                        ClientPause each = new ClientPause(clock::read, random);
                        each.prolong(seconds(length));
                        return each.leftHere().minus(each.left());
                    }))
                    .allSatisfy(jitter -> assertThat(jitter).isBetween(Duration.ZERO, seconds(most)))
                    .anySatisfy(jitter -> assertThat(jitter).isGreaterThan(seconds(most / 2)))
                    .anySatisfy(jitter -> assertThat(jitter).isLessThan(seconds(most / 2)))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void a_pause_that_is_prolonged_ends_at_times_as_different_as_a_long_one() {
        ClientPause latest = new ClientPause(clock::read, () -> -1);
        latest.prolong(seconds(1));
        latest.prolong(seconds(99));
        assertThat(latest.leftHere().minus(latest.left())).isBetween(seconds(9.9), seconds(10));
    }

    @Test
    void a_live_ban_of_another_instance_pauses_this_one_beyond_its_end_by_the_jitter() {
        ClientPause other = new ClientPause(clock::read, () -> 0x7fff_ffff_ffff_ffffL);
        other.banned(stored(7), seconds(30));
        assertThat(other.isBanned()).isTrue();
        assertThat(other.prolong(seconds(29))).as("it is known already").isFalse();
        clock.advance(seconds(30));
        other.banEnded(stored(7));
        assertThat(other.isBanned()).isFalse();
        assertThat(other.leftHere()).isPositive();
    }

    @Test
    void a_ban_that_is_as_long_as_requested_announces_it() {
        pause.prolong(seconds(30));
        assertThat(pause.isAnnounced()).isFalse();
        pause.banned(stored(7), seconds(29));
        assertThat(pause.isAnnounced()).isFalse();
        pause.banned(stored(8), seconds(30));
        assertThat(pause.isAnnounced()).isTrue();
    }

    @Test
    void what_is_known_of_a_ban_is_not_counted_from_now_again() {
        pause.banned(stored(7), seconds(30));
        clock.advance(seconds(20));
        pause.banned(stored(7), seconds(30));
        assertThat(pause.left()).isEqualTo(seconds(10));
    }

    @Test
    void a_ban_that_ends_earlier_than_was_known_ends_the_pause_after_the_jitter() {
        ClientPause late = new ClientPause(clock::read, () -> 0x7fff_ffff_ffff_ffffL);
        late.banned(stored(7), seconds(60));
        clock.advance(seconds(10));
        late.banEnded(stored(7));
        assertThat(late.isBanned()).isFalse();
        assertThat(late.left()).isZero();
        assertThat(late.leftHere()).isBetween(seconds(1), seconds(6));
        clock.advance(seconds(6));
        assertThat(late.leftHere()).isZero();
        assertThat(late.prolong(seconds(30))).as("the next pause").isTrue();
        assertThat(late.left()).isEqualTo(seconds(31));
    }

    @Test
    void what_a_response_requested_outlasts_the_end_of_a_ban() {
        pause.banned(stored(7), seconds(10));
        assertThat(pause.prolong(seconds(30))).as("others do not know it").isTrue();
        assertThat(pause.isAnnounced()).isFalse();
        assertThat(pause.prolong(seconds(30))).as("announced once").isFalse();
        clock.advance(seconds(10));
        pause.banEnded(stored(7));
        assertThat(pause.left()).isEqualTo(seconds(21));
        assertThat(pause.prolong(seconds(15))).isFalse();
    }

    @Test
    void the_end_of_a_ban_does_not_end_one_that_was_stored_later() {
        pause.banned(stored(6), seconds(30));
        pause.banEnded(stored(5));
        pause.banned(stored(5), seconds(10));
        assertThat(pause.left()).isEqualTo(seconds(30));
    }

    @Test
    void a_ban_that_has_ended_or_was_removed_begins_no_pause() {
        pause.banEnded(stored(5));
        pause.banned(stored(5), seconds(60));
        assertThat(pause.leftHere()).isZero();
        pause.banned(stored(6), seconds(60));
        pause.lift(stored(7));
        pause.banned(stored(6), seconds(60));
        assertThat(pause.leftHere()).isZero();
    }

    @Test
    void an_operator_who_removes_the_ban_ends_the_pause() {
        pause.prolong(seconds(30));
        pause.banned(stored(7), seconds(31));
        pause.lift(stored(8));
        assertThat(pause.leftHere()).isZero();
        assertThat(pause.isBanned()).isFalse();
    }
}
