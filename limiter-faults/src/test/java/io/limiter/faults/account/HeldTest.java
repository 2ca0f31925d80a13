package io.limiter.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many prefetched permits a JVM may lose. */
class HeldTest {

    private static final long START = 1_700_000_000_000_000L;

    private final List<Entry> account = new ArrayList<>();

    HeldTest() {
        account.add(new Entry(START, START + 1, Limiters.PREFETCHED_COUNTED, 0, 2, Answer.PREFETCH, true));
    }

    @Test
    void a_jvm_that_is_not_killed_and_loses_no_reply_returns_all() {
        assertThat(most(false)).isZero();
    }

    @Test
    void one_that_is_killed_loses_what_a_call_requests() {
        // Eight times what was requested, and twice the square root of that.
        assertThat(most(true)).isEqualTo(24);
    }

    @Test
    void each_lost_reply_can_be_the_one_of_a_call_that_no_caller_waits_for() {
        account.add(new Entry(START, START + 1, Limiters.ROOMY, 0, 0, Answer.FAILED, false));
        assertThat(most(false)).isEqualTo(24);
        assertThat(most(true)).isEqualTo(48);
    }

    private long most(boolean wasKilled) {
        return Held.most(Limiters.PREFETCHED_COUNTED, account, wasKilled);
    }
}
