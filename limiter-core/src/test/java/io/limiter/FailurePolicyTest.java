package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailurePolicyTest {

    @Test
    void policies_are_values() {
        assertThat(FailurePolicy.local(0.5)).isEqualTo(FailurePolicy.local(0.5)).isNotEqualTo(FailurePolicy.LOCAL);
        assertThat(FailurePolicy.local(0.5)).hasSameHashCodeAs(FailurePolicy.local(0.5));
        assertThat(FailurePolicy.local(1)).isNotEqualTo(FailurePolicy.LOCAL).hasToString("local(1.0)");
        assertThat(FailurePolicy.local(1).share()).hasValue(1);
        assertThat(FailurePolicy.LOCAL.share()).isEmpty();
        for (FailurePolicy.Action action : FailurePolicy.Action.values()) {
            assertThat(FailurePolicy.of(action).action()).isEqualTo(action);
        }
        assertThat(FailurePolicy.DENY).isNotEqualTo(FailurePolicy.ALLOW).hasToString("deny");
        assertThat(FailurePolicy.local(0.5)).hasToString("local(0.5)");
    }

    @Test
    void a_text_is_parsed() {
        for (FailurePolicy.Action action : FailurePolicy.Action.values()) {
            FailurePolicy policy = FailurePolicy.of(action);
            assertThat(FailurePolicy.parse(policy.toString())).isEqualTo(policy);
            assertThat(FailurePolicy.parse(policy.toString().toLowerCase(Locale.ROOT)))
                    .isEqualTo(policy);
        }
        assertThat(FailurePolicy.parse("local(0.2)")).isEqualTo(FailurePolicy.local(0.2));
        for (double share : new double[] {0.5, 1.0 / 3, 1e-5, Double.MIN_VALUE}) {
            assertThat(FailurePolicy.parse(FailurePolicy.local(share).toString()))
                    .isEqualTo(FailurePolicy.local(share));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "open", "local(0)", "local(1.1)", "local(x)", "local(.)", "local()", "deny(0.5)", "local(0.5"
            })
    void a_text_of_no_policy_is_an_error(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.parse(text))
                .withMessage(
                        "must be local, owner, deny, allow or throw, or local with a share of more than 0 and at most 1,"
                                + " such as local(0.2), was '" + text + "'");
    }

    @Test
    void an_instance_alone_has_its_part_or_the_fixed_share() {
        assertThat(FailurePolicy.LOCAL.share(4)).isEqualTo(0.25);
        assertThat(FailurePolicy.local(0.5).share(4)).isEqualTo(0.5);
        assertThat(FailurePolicy.OWNER.share(4)).as("of its keys").isOne();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.LOCAL.share(0))
                .withMessage("instances must be at least 1, was 0");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.01, Double.NaN})
    void a_share_out_of_range_is_an_error(double share) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.local(share))
                .withMessage("share must be more than 0 and at most 1, was " + share);
    }
}
