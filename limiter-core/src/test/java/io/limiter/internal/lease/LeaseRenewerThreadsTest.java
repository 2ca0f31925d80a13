package io.limiter.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import io.limiter.testing.Eventually;
import io.limiter.testing.FailingStarts;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Renewals for which no thread can be started. */
@Tag("threads")
class LeaseRenewerThreadsTest extends LeasesFixture {

    /** By the clock of the test; checked twelve times in this time by that of the machine. */
    private static final ConcurrencyLimit SHORT = ONE.withLeaseTime(Duration.ofMillis(600));

    @Test
    void a_renewal_for_which_no_thread_can_be_started_is_tried_again_at_the_next_check() {
        FailingStarts starts = new FailingStarts(1, 2);
        LeaseRenewer renewer = new LeaseRenewer(
                backend, new ExpiryClock(clock, clock), new LeaseLog(clock), Leases.LARGE_BATCH, true, starts);
        Lease lease = limiter(SHORT).acquire();
        clock.advance(Duration.ofMillis(200));
        renewer.add((CountedLease) lease);
        Eventually.that(() -> assertThat(backend.requests).anyMatch(each -> each.action() == Request.Action.RENEW));
        assertThat(starts.haveFailed()).isTrue();
        assertThat(lease.isHeld()).isTrue();
        renewer.close();
    }
}
