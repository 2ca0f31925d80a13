package io.limiter.internal.resilience;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.SetDecision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.Request;
import io.limiter.testing.FailingEngine;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The decisions of the failure policies. */
class FailoverTest {

    /** Never all of them, or nobody could take any. */
    @Test
    void the_local_fallback_leaves_its_share_of_what_the_limit_leaves() {
        Request low = Request.take(1, 0).withLeave(21);
        KeyRequests<?> fleet = KeyRequests.of("k", FixedWindow.of(100, Duration.ofHours(1)), low);
        assertThat(fleet.scaled(0.25).request()).isEqualTo(Request.take(1, 0).withLeave(6));
        assertThat(fleet.scaled(0.02).request())
                .as("one of two")
                .isEqualTo(Request.take(1, 0).withLeave(1));
        assertThat(fleet.scaled(0.01).request()).as("none of one").isEqualTo(Request.take(1, 0));
        assertThat(fleet.scaled(0.001).limit()).isEqualTo(FixedWindow.of(1, Duration.ofHours(1)));
    }

    private static final FixedWindow TEN = FixedWindow.of(10, Duration.ofHours(1));

    private final LocalEngine local = new LocalEngine();
    private final FailingEngine failing = new FailingEngine();

    @Test
    void each_policy_decides_when_the_backend_fails() {
        Decision rejected = limiter("a", FailurePolicy.DENY).decide(1);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Source.POLICY);
        assertThat(rejected.retryAfter()).hasValue(Duration.ofMillis(500));
        Decision allowed = limiter("a", FailurePolicy.ALLOW).decide(1);
        assertThat(allowed.isGranted()).isTrue();
        assertThat(allowed.source()).isEqualTo(Source.POLICY);
        assertThatThrownBy(() -> limiter("a", FailurePolicy.THROW).decide(1))
                .isInstanceOf(LimiterBackendException.class);
        Limiter half = limiter("a", FailurePolicy.local(0.5));
        for (int i = 0; i < 5; i++) {
            assertThat(half.decide(1)).matches(Decision::isGranted).matches(d -> d.source() == Source.LOCAL);
        }
        assertThat(half.async().decide(1).join()).matches(d -> !d.isGranted()).matches(d -> d.source() == Source.LOCAL);
    }

    @Test
    void without_a_fixed_share_an_instance_decides_under_its_part_of_the_limit() {
        Instances instances = new Instances();
        instances.counted(4);
        Failover failover = new Failover(failing, FailurePolicy.LOCAL, local, instances, PolicyReport.NONE, 1);
        assertThat(failover.decide("k", TEN, Request.peek(1, 0)).limit()).isEqualTo(2);
        instances.counted(100);
        assertThat(failover.decide("k", TEN, Request.peek(1, 0)).limit())
                .as("at least one permit")
                .isOne();
        assertThat(failover.with(FailurePolicy.local(1))
                        .decide("k", TEN, Request.peek(1, 0))
                        .limit())
                .isEqualTo(10);
    }

    @Test
    void what_only_the_share_of_an_instance_cannot_grant_may_be_granted_soon() {
        Limiter fifth = limiter("k", FailurePolicy.local(0.2));
        assertThat(fifth.decide(2).isGranted()).isTrue();
        assertThat(fifth.decide(1).retryAfter()).as("rather than an hour").hasValue(Duration.ofMinutes(1));
        assertThat(fifth.decide(10).retryAfter()).as("of a share of two").hasValue(Duration.ofMinutes(1));
        assertThat(fifth.decide(11).isNever()).isTrue();
    }

    @Test
    void the_owner_of_a_key_decides_under_the_whole_limit_and_all_others_reject() {
        Instances instances = new Instances(3);
        Failover failover = new Failover(failing, FailurePolicy.OWNER, local, instances, PolicyReport.NONE, 500_000);
        Limiter limiter = new EngineLimiter<>(new KeySpace("", "k", ""), TEN, failover, Sleeper.UNINTERRUPTIBLE);
        assertThat(limiter.decide(1)).as("before any is known").matches(d -> d.source() == Source.POLICY);
        instances.members("one", List.of("one"));
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.decide(1)).matches(Decision::isGranted).matches(d -> d.source() == Source.LOCAL);
        }
        assertThat(limiter.decide(1)).matches(d -> !d.isGranted()).matches(d -> d.source() == Source.LOCAL);
        instances.members("one", List.of("one", "two", "three"));
        List<String> owned = Stream.iterate(0, i -> i + 1)
                .limit(300)
                .map(String::valueOf)
                .filter(key -> limiter.on(key).decide(1).isGranted())
                .toList();
        assertThat(owned).hasSizeBetween(60, 140);
        String other = Stream.iterate(0, i -> i + 1)
                .map(String::valueOf)
                .filter(key -> !owned.contains(key))
                .findFirst()
                .orElseThrow();
        Decision rejected = limiter.on(other).decide(1);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Source.POLICY);
        assertThat(rejected.retryAfter()).hasValue(Duration.ofMillis(500));
        Limiter first = limiter.on(owned.get(0));
        assertThat(LimitSet.of(first, limiter.on(other)).decide(1).isGranted()).isFalse();
        assertThat(first.peek().remaining()).as("nothing was taken").isEqualTo(9);
        assertThat(LimitSet.of(first, limiter.on(owned.get(1))).decide(2).isGranted())
                .isTrue();
        assertThat(first.peek().remaining()).isEqualTo(7);
        assertThat(first.refund(1).source()).isEqualTo(Source.LOCAL);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_set_is_all_or_nothing_under_any_policies(boolean waits) {
        Limiter one = limiter("one", FailurePolicy.local(0.5));
        Limiter other = limiter("other", FailurePolicy.local(0.1));
        Limiter open = limiter("open", FailurePolicy.ALLOW);
        Limiter shut = limiter("shut", FailurePolicy.DENY);
        Limiter broken = limiter("broken", FailurePolicy.THROW);
        assertThat(decide(waits, one, shut, open).isGranted()).isFalse();
        assertThat(one.peek().remaining()).as("nothing was taken").isEqualTo(5);
        SetDecision granted = decide(waits, one, open, other);
        assertThat(granted.isGranted()).isTrue();
        assertThat(granted.parts().stream().map(part -> part.decision().source()))
                .containsExactly(Source.LOCAL, Source.POLICY, Source.LOCAL);
        assertThat(decide(waits, one, open, other).rejectedBy()).hasValue("other");
        assertThat(one.peek().remaining()).as("once").isEqualTo(4);
        assertThatThrownBy(() -> decide(waits, one, shut, broken))
                .satisfies(e -> assertThat(AsyncFailures.cause(e)).isInstanceOf(LimiterBackendException.class));
    }

    @Test
    void a_policy_says_how_many_permits_a_caller_can_use_who_leaves_some() {
        Request low = Request.take(1, 0).withLeave(2);
        for (FailurePolicy policy : List.of(FailurePolicy.DENY, FailurePolicy.ALLOW)) {
            Failover failover = new Failover(failing, policy, local, 1);
            assertThat(failover.decide("k", TEN, low).limit()).isEqualTo(8);
        }
    }

    @Test
    void refunds_and_charges_go_to_the_local_fallback_or_nowhere() {
        Limiter local = limiter("l", FailurePolicy.LOCAL);
        assertThat(local.charge(4).source()).isEqualTo(Source.LOCAL);
        assertThat(local.refund(1).remaining()).isEqualTo(7);
        assertThat(limiter("l", FailurePolicy.ALLOW).charge(1).source()).isEqualTo(Source.POLICY);
        assertThat(limiter("l", FailurePolicy.DENY).refund(1).isGranted()).isFalse();
        assertThat(local.peek().remaining()).isEqualTo(7);
        SetDecision refunded =
                LimitSet.of(local, limiter("m", FailurePolicy.ALLOW)).refund(2);
        assertThat(refunded.parts().get(0).decision().remaining()).isEqualTo(9);
    }

    @Test
    void an_ambiguous_refund_is_not_repeated_locally() {
        Limiter limiter = limiter("l", FailurePolicy.LOCAL);
        limiter.charge(4);
        failing.failure = key -> BackendFailures.ambiguous(key, "it fails", new IllegalStateException());
        assertThat(limiter.refund(2).source()).isEqualTo(Source.POLICY);
        assertThat(limiter.async().refund(2).join().source()).isEqualTo(Source.POLICY);
        assertThat(LimitSet.of(limiter, limiter.on("other")).refund(2).parts())
                .allMatch(part -> part.decision().source() == Source.POLICY);
        assertThat(limiter.peek().remaining()).isEqualTo(6);
        assertThat(limiter.charge(1).remaining())
                .as("a charge that may have been made is made, which grants nothing")
                .isEqualTo(5);
    }

    @Test
    void permits_of_the_backend_are_returned_there_or_nowhere() {
        limiter("l", FailurePolicy.LOCAL).charge(4);
        Outcome taken = outcome(true, 10, 6, 0, 0, 0);
        Failover local = new Failover(failing, FailurePolicy.LOCAL, this.local, 1);
        assertThat(local.cancel(taken, "l", TEN, 2, 2)).isCompletedWithValueMatching(d -> d.source() == Source.POLICY);
        assertThat(limiter("l", FailurePolicy.LOCAL).peek().remaining()).isEqualTo(6);
        Failover broken = new Failover(failing, FailurePolicy.THROW, this.local, 1);
        assertThat(broken.cancel(taken, "l", TEN, 2, 2)).isCompletedExceptionally();
        assertThatThrownBy(() -> broken.cancel(taken, "l", TEN, 2, 2).await())
                .isInstanceOf(LimiterBackendException.class);
    }

    @Test
    void an_error_of_the_policy_reaches_the_caller() {
        FailingEngine bad = new FailingEngine();
        bad.failure = key -> {
            throw new AssertionError("of a limit");
        };
        Failover failover = new Failover(failing, FailurePolicy.LOCAL, bad, 1);
        assertThat(failover.start("a", TEN, Request.take(1, 0))).isCompletedExceptionally();
    }

    private static SetDecision decide(boolean waits, Limiter first, Limiter second, Limiter third) {
        LimitSet set = LimitSet.of(first, second, third);
        return waits ? set.decide(1) : set.async().decide(1).join();
    }

    private Limiter limiter(String name, FailurePolicy policy) {
        return new EngineLimiter<>(
                new KeySpace("", name, ""),
                TEN,
                new Failover(failing, policy, local, 500_000),
                Sleeper.UNINTERRUPTIBLE);
    }
}
