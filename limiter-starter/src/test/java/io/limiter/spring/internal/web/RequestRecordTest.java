package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.internal.check.LimitDecision;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.check.PermitRequest;
import io.limiter.testing.Expected;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The decisions that later dispatches of a request repeat, and the status that charges it. */
class RequestRecordTest {

    private static final PermitRequest REQUEST = new PermitRequest(LimitName.chosen("p:", "limit"), List.of("key"), 1);

    private final RequestRecord decisions = new RequestRecord(HeaderSet.NONE);

    private static Decision decision(boolean granted) {
        return Expected.decision(granted, 2, 0, granted ? 0 : 5_000_000, granted ? 0 : 5_000_000, 9_000_000);
    }

    private void add(Decision decision, Object dispatch) {
        @Nullable Decision rejection = decision.isGranted() ? null : decision;
        LimitDecision part = new LimitDecision(REQUEST, FixedWindow.of(2, Duration.ofSeconds(9)), decision);
        decisions.add(rejection, List.of(part), dispatch);
    }

    @Test
    void a_dispatch_repeats_the_decision_of_the_one_before() {
        Decision granted = decision(true);
        add(granted, "first");
        assertThat(decisions.earlier(REQUEST, "first"))
                .as("each call of a dispatch")
                .isNull();
        assertThat(decisions.earlier(REQUEST, "second")).isSameAs(granted);
        assertThat(decisions.earlier(REQUEST, "third")).isSameAs(granted);
    }

    /** Such as one of a limit that charges each dispatch for its own outcome. */
    @Test
    void of_three_dispatches_the_third_repeats_the_second_if_that_decided_for_itself() {
        Decision rejected = decision(false);
        add(decision(true), "first");
        add(rejected, "second");
        assertThat(decisions.earlier(REQUEST, "second")).isNull();
        assertThat(decisions.earlier(REQUEST, "third")).isSameAs(rejected);
    }

    @Test
    void a_dispatch_that_repeats_a_rejection_repeats_it_for_each_call() {
        Decision rejected = decision(false);
        add(rejected, "first");
        add(rejected, "second");
        assertThat(decisions.earlier(REQUEST, "second")).isSameAs(rejected);
        assertThat(decisions.earlier(REQUEST, "third")).isSameAs(rejected);
    }

    @Test
    void of_several_calls_of_a_dispatch_others_repeat_the_first() {
        Decision first = decision(true);
        add(first, "first");
        add(decision(false), "first");
        assertThat(decisions.earlier(REQUEST, "second")).isSameAs(first);
    }

    /** The status that decides whether the request is charged, if its response has the status 302. */
    private int statusOfRedirect() {
        AtomicInteger status = new AtomicInteger();
        decisions.whenDone(status::set);
        decisions.done(302, name -> null);
        return status.get();
    }

    @Test
    void a_login_that_fails_and_then_succeeds_has_not_failed() {
        decisions.authenticationFailed("ann");
        decisions.authenticationSucceeded("ann");
        assertThat(statusOfRedirect()).isEqualTo(302);
    }

    @Test
    void a_login_that_succeeds_and_then_fails_has_failed() {
        decisions.authenticationSucceeded("ann");
        decisions.authenticationFailed("ann");
        assertThat(statusOfRedirect()).isEqualTo(401);
    }

    @Test
    void a_failed_login_still_counts_if_another_user_logs_in_with_the_same_request() {
        decisions.authenticationFailed("victim");
        decisions.authenticationSucceeded("ann");
        assertThat(statusOfRedirect()).isEqualTo(401);
    }
}
