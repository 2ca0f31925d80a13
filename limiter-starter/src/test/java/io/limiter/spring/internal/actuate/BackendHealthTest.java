package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.BackendState;
import io.limiter.FailingLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.local.LocalLimiterFactory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackendHealthTest {

    private static final Instant SINCE = Instant.ofEpochSecond(1_763_650_000);
    private static final LimiterBackendException FAILURE = BackendFailures.notExecuted("key", "unavailable");

    @Test
    void the_state_of_redis_and_the_policy_make_the_status() {
        BackendState up = BackendState.of(true, SINCE, FAILURE);
        BackendState down = BackendState.of(false, SINCE, FAILURE);
        assertThat(BackendHealth.of(up, FailurePolicy.LOCAL).status()).isEqualTo("UP");
        assertThat(BackendHealth.of(up, FailurePolicy.THROW).status()).isEqualTo("UP");
        assertThat(BackendHealth.of(down, FailurePolicy.LOCAL).status()).isEqualTo("DEGRADED");
        assertThat(BackendHealth.of(down, FailurePolicy.ALLOW).status()).isEqualTo("DEGRADED");
        assertThat(BackendHealth.of(down, FailurePolicy.DENY).status()).isEqualTo("DEGRADED");
        assertThat(BackendHealth.of(down, FailurePolicy.THROW).status()).isEqualTo("DOWN");
        assertThat(BackendHealth.of(down, FailurePolicy.DENY).details())
                .containsEntry("policy", "deny")
                .containsEntry("since", SINCE.toString())
                .containsEntry("problem", FAILURE.problem());
    }

    /** For example a client that throws before a request is sent: no circuit breaker opens. */
    @Test
    void decisions_that_redis_did_not_make_degrade_it_although_redis_is_up() {
        BackendState few = BackendState.of(true, SINCE, null).withUndecided(0.0991, FAILURE);
        assertThat(BackendHealth.of(few, FailurePolicy.LOCAL).status()).isEqualTo("UP");
        assertThat(BackendHealth.of(few, FailurePolicy.LOCAL).details())
                .containsEntry("undecided", 0.1)
                .containsEntry("problem", FAILURE.problem());
        BackendState all = BackendState.of(true, SINCE, null).withUndecided(1, FAILURE);
        for (FailurePolicy policy : List.of(FailurePolicy.LOCAL, FailurePolicy.THROW)) {
            assertThat(BackendHealth.of(all, policy).status()).isEqualTo("DEGRADED");
            assertThat(BackendHealth.of(all, policy).details()).containsEntry("undecided", 1.0);
        }
        BackendState none = BackendState.of(true, SINCE, null).withUndecided(0, FAILURE);
        assertThat(BackendHealth.of(none, FailurePolicy.LOCAL).details()).doesNotContainKeys("undecided", "problem");
    }

    @Test
    void one_of_several_masters_degrades_it_and_is_named() {
        for (FailurePolicy policy : List.of(FailurePolicy.LOCAL, FailurePolicy.THROW)) {
            BackendState one = BackendState.of(false, SINCE, FAILURE).withNodes(List.of("redis-2:6379"), 3);
            assertThat(BackendHealth.of(one, policy).status()).isEqualTo("DEGRADED");
            assertThat(BackendHealth.of(one, policy).details())
                    .containsEntry("nodes", 3)
                    .containsEntry("unavailableNodes", List.of("redis-2:6379"));
        }
        BackendState both = BackendState.of(false, SINCE, FAILURE).withNodes(List.of("a:1", "b:1"), 2);
        assertThat(BackendHealth.of(both, FailurePolicy.THROW).status()).isEqualTo("DOWN");
    }

    @Test
    void limiters_that_fail_by_themselves_degrade_it_and_say_what_to_do_without_their_keys() {
        LimiterBackendException failure = new LimiterBackendException(
                LimiterBackendException.Kind.PERMANENT,
                "WRONGTYPE",
                "rateLimit:{ann}{sms}",
                "not ours; delete the key: DEL ann",
                "delete the key",
                null);
        BackendState state = BackendState.of(true, SINCE, null)
                .withFailing(List.of(FailingLimiter.of("rateLimit:sms", SINCE.plusSeconds(1), failure)))
                .withNodes(List.of(), 1);
        for (FailurePolicy policy : List.of(FailurePolicy.LOCAL, FailurePolicy.THROW)) {
            BackendHealth health = BackendHealth.of(state, policy);
            assertThat(health.status()).isEqualTo("DEGRADED");
            assertThat(health.details())
                    .containsEntry(
                            "failing",
                            Map.of(
                                    "rateLimit:sms",
                                    Map.of(
                                            "since",
                                            SINCE.plusSeconds(1).toString(),
                                            "problem",
                                            "WRONGTYPE",
                                            "remedy",
                                            "delete the key")));
            assertThat(health.toString()).doesNotContain("ann");
        }
        assertThat(BackendHealth.of(state, FailurePolicy.LOCAL).details()).doesNotContainKey("problem");
    }

    @Test
    void limits_in_this_process_are_always_up() {
        assertThat(BackendHealth.of(new LocalLimiterFactory()).status()).isEqualTo("UP");
    }
}
