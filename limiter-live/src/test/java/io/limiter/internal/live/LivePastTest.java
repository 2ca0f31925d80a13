package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.LimitReport.Rate;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rates of the last minutes in the reports of the fleet. */
class LivePastTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void the_past_of_all_instances_adds_up_in_steps_of_20_s() {
        LiveInstance one = instanceWithPast("one");
        LiveInstance other = instanceWithPast("other");
        Instant start = stepStarts();
        one.pollLiveLimits();
        other.pollLiveLimits();
        decide(one, 40);
        decide(other, 46);
        FLEET.clock().advance(Duration.ofSeconds(20));
        one.pollLiveLimits();
        // The instances poll at different moments.
        FLEET.clock().advance(Duration.ofSeconds(3));
        other.pollLiveLimits();
        decide(one, 3);
        decide(other, 4);
        FLEET.clock().advance(Duration.ofSeconds(1));
        assertThat(past(one, other))
                .containsExactly(
                        Map.entry(start, Rate.of(4, 0)), Map.entry(start.plusSeconds(20), Rate.of(0.75 + 4, 0)));
    }

    @Test
    void an_instance_that_did_not_poll_knows_the_mean_of_its_past() {
        LiveInstance one = instanceWithPast("one");
        Instant start = stepStarts();
        one.pollLiveLimits();
        decide(one, 200);
        FLEET.clock().advance(Duration.ofSeconds(100));
        assertThat(past(one)).hasSize(5).containsKey(start).values().containsOnly(Rate.of(2, 0));
    }

    @Test
    void the_past_is_known_from_an_outage_too() {
        LiveInstance one = instanceWithPast("one");
        put(one, "search", LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(20_000));
        Instant start = stepStarts();
        one.pollLiveLimits();
        FLEET.whileUnreadable(() -> {
            decide(one, 20);
            FLEET.clock().advance(Duration.ofSeconds(20));
            one.pollLiveLimits();
        });
        FLEET.clock().advance(Duration.ofSeconds(20));
        assertThat(past(one))
                .containsExactly(Map.entry(start, Rate.of(1, 0)), Map.entry(start.plusSeconds(20), Rate.of(0, 0)));
    }

    @Test
    void the_past_is_ten_minutes_long() {
        LiveInstance one = instanceWithPast("one");
        Instant start = stepStarts();
        for (int step = 0; step < 40; step++) {
            one.pollLiveLimits();
            decide(one, 20);
            FLEET.clock().advance(Duration.ofSeconds(20));
        }
        assertThat(past(one))
                .hasSize(30)
                .containsKeys(start.plusSeconds(10 * 20), start.plusSeconds(39 * 20))
                .values()
                .containsOnly(Rate.of(1, 0));
    }

    @Test
    void a_clock_that_steps_back_starts_the_past_again() {
        LiveInstance one = instanceWithPast("one");
        stepStarts();
        one.pollLiveLimits();
        FLEET.clock().advance(Duration.ofSeconds(60));
        one.pollLiveLimits();
        FLEET.clock().advance(Duration.ofSeconds(-100));
        assertThat(past(one)).isEmpty();
    }

    @Test
    void most_reports_have_no_past() {
        LiveInstance one = instanceWithPast("one");
        stepStarts();
        one.pollLiveLimits();
        FLEET.clock().advance(Duration.ofSeconds(30));
        assertThat(past(one)).as("when the watch begins").isNotEmpty();
        FLEET.clock().advance(Duration.ofSeconds(4));
        assertThat(past(one)).as("4 s later").isNotEmpty();
        FLEET.clock().advance(Duration.ofSeconds(1));
        assertThat(past(one)).as("5 s later").isEmpty();
        FLEET.clock().advance(Duration.ofSeconds(4));
        assertThat(past(one)).as("9 s later").isEmpty();
        FLEET.clock().advance(Duration.ofSeconds(1));
        assertThat(past(one)).as("with the next step").hasSize(2);
    }

    private static LiveInstance instanceWithPast(String name) {
        LiveInstance factory = FLEET.instance(name, true);
        decide(factory, 1);
        return factory;
    }

    private static void decide(LiveInstance factory, int times) {
        Limiter limiter = factory.build("search", FixedWindow.of(10_000, Duration.ofHours(1)));
        IntStream.range(0, times).forEach(i -> limiter.tryAcquire("ann"));
    }

    /** Moves the clock to the start of the next step. */
    private static Instant stepStarts() {
        FLEET.clock()
                .advance(Duration.ofNanos(1000 * (20_000_000 - FLEET.clock().micros() % 20_000_000)));
        return Instant.ofEpochSecond(FLEET.clock().micros() / 1_000_000);
    }

    private static Map<Instant, Rate> past(LiveInstance... instances) {
        return sum(instances).past();
    }
}
