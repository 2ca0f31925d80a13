package io.limiter.faults.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExcessTest {

    private static Entry grant(long callMicros, long returnMicros, int permits) {
        return new Entry(callMicros, returnMicros, Limiters.LIMITED, 0, permits, Answer.REDIS, true);
    }

    @Test
    void nothing_granted_leaves_the_capacity() {
        assertThat(Excess.of(10, 1, List.of())).isEqualTo(-10);
    }

    @Test
    void an_interval_is_paid_for_by_its_length() {
        List<Entry> grants = List.of(grant(0, 0, 10), grant(1_000_000, 1_000_000, 3));
        assertThat(Excess.of(10, 2, grants)).isEqualTo(1);
        assertThat(Excess.of(10, 3, grants)).isZero();
    }

    @Test
    void a_grant_whose_moment_is_not_known_proves_nothing_about_shorter_intervals() {
        // Both may be five seconds apart.
        assertThat(Excess.of(1, 0.2, List.of(grant(0, 5_000_000, 1), grant(0, 5_000_000, 1))))
                .isZero();
        assertThat(Excess.of(1, 0.2, List.of(grant(0, 1_000_000, 1), grant(0, 1_000_000, 1))))
                .isEqualTo(0.8);
    }

    @Test
    void times_in_nanoseconds_are_rounded_away_from_each_other() {
        Excess.Grant grant = new Excess.NanosGrant() {
            @Override
            public long calledNanos() {
                return 1_999;
            }

            @Override
            public long returnedNanos() {
                return 2_001;
            }
        };
        assertThat(grant.callMicros()).isEqualTo(1);
        assertThat(grant.returnMicros()).isEqualTo(3);
        assertThat(grant.permits()).isEqualTo(1);
    }

    @Test
    void it_is_the_worst_of_all_intervals() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            List<Entry> grants = new ArrayList<>();
            for (int i = 1 + random.nextInt(30); i > 0; i--) {
                long call = random.nextInt(3_000_000);
                grants.add(grant(call, call + random.nextInt(400_000), 1 + random.nextInt(3)));
            }
            double rate = random.nextInt(20);
            assertThat(Excess.of(5, rate, grants)).isCloseTo(byDefinition(5, rate, grants), within(1e-9));
        }
    }

    private static double byDefinition(double capacity, double rate, List<Entry> grants) {
        double worst = Double.NEGATIVE_INFINITY;
        for (Entry first : grants) {
            for (Entry last : grants) {
                long from = first.callMicros();
                long to = last.returnMicros();
                double sum = grants.stream()
                        .filter(grant -> grant.callMicros() >= from && grant.returnMicros() <= to)
                        .mapToDouble(Entry::permits)
                        .sum();
                if (to >= from && sum > 0) {
                    worst = Math.max(worst, sum - rate * (to - from) / 1e6);
                }
            }
        }
        return worst - capacity;
    }
}
