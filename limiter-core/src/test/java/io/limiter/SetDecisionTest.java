package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.SetDecision.OfPart;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SetDecisionTest {

    private static final Decision FEW = decision(true, 5, 1, 0, 0, 4_000_000);
    private static final Decision MANY = decision(true, 100, 60, 2_000_000, 0, 40_000_000);
    private static final Decision SOON = decision(false, 5, 0, 1_000_000, 1_000_000, 5_000_000);
    private static final Decision LATE = decision(false, 9, 2, 3_000_000, 3_000_000, 3_000_000);
    private static final Decision NEVER = decision(false, 9, 9, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 0);

    private final LimiterFactory limiters = new LocalLimiterFactory();

    @Test
    void a_granted_set_has_the_fewest_remaining_permits_and_the_longest_times() {
        SetDecision decision = of(MANY, FEW);
        assertThat(decision.isGranted()).isTrue();
        assertThat(decision.rejectedBy()).isEmpty();
        assertThat(decision.rejection()).isEmpty();
        assertThat(decision.decision()).isEqualTo(decision(true, 5, 1, 2_000_000, 0, 40_000_000));
    }

    @Test
    void a_rejected_set_names_the_limit_with_the_longest_retry_after() {
        SetDecision decision = of(SOON, FEW, LATE, MANY);
        assertThat(decision.isGranted()).isFalse();
        assertThat(decision.rejectedBy()).contains("limit2");
        assertThat(decision.decision()).isEqualTo(decision(false, 9, 2, 3_000_000, 3_000_000, 40_000_000));
        assertThat(of(SOON, NEVER, LATE).rejectedBy()).contains("limit1");
        assertThat(of(SOON, NEVER).retryAfter()).isEmpty();
    }

    @Test
    void of_limits_with_the_same_retry_after_it_names_the_first() {
        assertThat(of(FEW, LATE, LATE).rejectedBy()).contains("limit1");
    }

    @Test
    void a_decision_without_parts_is_an_error() {
        assertThatIllegalArgumentException().isThrownBy(() -> SetDecision.of(List.of()));
    }

    private SetDecision of(Decision... decisions) {
        List<OfPart> parts = new ArrayList<>();
        for (Decision decision : decisions) {
            parts.add(OfPart.of(limiters.build("limit" + parts.size(), 1, 1, 60), decision));
        }
        return SetDecision.of(parts);
    }
}
