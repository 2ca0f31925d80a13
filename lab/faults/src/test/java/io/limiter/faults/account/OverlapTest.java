package io.limiter.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapTest {

    private static Entry lease(long from, long to) {
        return new Entry(from, to, Limiters.LEASED, 0, 1, Answer.LEASE, true);
    }

    @Test
    void one_that_ends_makes_room_for_the_next() {
        assertThat(Overlap.of(List.of(lease(0, 10), lease(10, 20)))).isEqualTo(1);
        assertThat(Overlap.of(List.of(lease(0, 11), lease(10, 20), lease(19, 30))))
                .isEqualTo(2);
        assertThat(Overlap.of(List.of())).isZero();
    }
}
