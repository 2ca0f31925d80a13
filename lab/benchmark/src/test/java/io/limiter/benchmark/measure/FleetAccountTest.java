package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.limiter.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class FleetAccountTest {

    private static final double PER_SECOND = 10;

    /** The tolerance for clocks is less than that. */
    private static final Offset<Double> CLOCKS = within(0.01);

    private final List<Request> requests = new ArrayList<>();

    @Test
    void a_rejection_is_early_if_one_bucket_would_have_had_a_permit() {
        granted(0);
        granted(0);
        rejected(10);
        rejected(150);
        assertThat(account().rejectedEarly(0, 2, PER_SECOND)).isEqualTo(0.25);
        assertThat(account().rejectedEarly(3, 2, PER_SECOND)).isEqualTo(1);
    }

    @Test
    void a_rejection_is_not_early_because_its_answer_comes_late() {
        granted(0);
        add(0, 1, 300, false, Decision.Source.BACKEND);
        assertThat(account().rejectedEarly(0, 1, PER_SECOND)).isZero();
    }

    @Test
    void a_rejection_is_not_early_if_a_later_request_got_the_permit_before_its_answer() {
        add(0, 3, 6, false, Decision.Source.BACKEND);
        add(0, 5, 20, true, Decision.Source.BACKEND);
        assertThat(account().rejectedEarly(0, 1, PER_SECOND)).isZero();
    }

    @Test
    void a_rejection_is_early_whatever_was_granted_after_its_answer() {
        add(0, 0, 100, false, Decision.Source.BACKEND);
        add(0, 1, 10, false, Decision.Source.BACKEND);
        add(0, 50, 60, true, Decision.Source.BACKEND);
        assertThat(account().rejectedEarly(0, 1, PER_SECOND)).isCloseTo(1 / 3.0, CLOCKS);
    }

    @Test
    void grants_are_compared_with_those_of_one_bucket() {
        granted(0);
        rejected(50);
        rejected(100);
        granted(210);
        assertThat(account().grantedOfPossible(0, 1, PER_SECOND)).isCloseTo(2 / 3.0, CLOCKS);
        assertThat(account().grantedOfPossible(1, 1, PER_SECOND)).isEqualTo(0.5);
    }

    @Test
    void every_key_has_a_bucket_of_its_own() {
        add(0, 0, 0, true, Decision.Source.BACKEND);
        add(1, 0, 0, true, Decision.Source.BACKEND);
        add(2, 0, 0, false, Decision.Source.BACKEND);
        assertThat(account().mostAboveRefill(PER_SECOND)).isCloseTo(1, CLOCKS);
        assertThat(account().grantedOfPossible(0, 1, PER_SECOND)).isCloseTo(2 / 3.0, CLOCKS);
        assertThat(account().rejectedEarly(0, 1, PER_SECOND)).isCloseTo(1 / 3.0, CLOCKS);
    }

    @Test
    void the_most_above_the_refill_is_that_of_the_worst_interval() {
        granted(0);
        add(0, 900, 1_000, true, Decision.Source.BACKEND);
        granted(1_000);
        granted(1_000);
        granted(1_000);
        rejected(1_000);
        add(0, 1_050, 1_100, true, Decision.Source.BACKEND);
        granted(2_000);
        assertThat(account().mostAboveRefill(PER_SECOND)).isCloseTo(3, CLOCKS);
    }

    @Test
    void rejections_because_prefetched_permits_are_used_up_count_as_decided_by_them() {
        add(0, 0, 1, true, Decision.Source.BACKEND);
        add(0, 2, 2, true, Decision.Source.PREFETCH);
        add(0, 3, 3, false, Decision.Source.PREFETCH);
        add(0, 4, 4, false, Decision.Source.REJECTION_CACHE);
        assertThat(account().prefetched(0)).isEqualTo(0.5);
        assertThat(account().prefetched(2)).isEqualTo(0.5);
        assertThat(account().prefetched(3)).isZero();
    }

    @Test
    void a_latency_counts_from_the_arrival() {
        requests.add(new Request(0, 0, 20, 30, true, Decision.Source.BACKEND));
        requests.add(new Request(0, 0, 20, 40, true, Decision.Source.BACKEND));
        assertThat(account().latency(0).p99()).isCloseTo(40_000, within(100.0));
        assertThat(account().latency(0).p50()).isCloseTo(30_000, within(100.0));
        assertThat(account().latency(2).p50()).isNaN();
    }

    @Test
    void a_failed_request_makes_figures_worthless() {
        FleetAccount account = new FleetAccount(new int[1], new long[1]);
        IllegalStateException cause = new IllegalStateException("out of order");
        account.failed(cause);
        assertThatThrownBy(account::awaitAnswers)
                .hasMessage("1 requests have failed")
                .hasCause(cause);
    }

    /** Times are in milliseconds. */
    private record Request(int key, long due, long sent, long answered, boolean granted, Decision.Source source) {}

    private void granted(long at) {
        add(0, at, at, true, Decision.Source.PREFETCH);
    }

    private void rejected(long at) {
        add(0, at, at, false, Decision.Source.PREFETCH);
    }

    private void add(int key, long sent, long answered, boolean granted, Decision.Source source) {
        requests.add(new Request(key, sent, sent, answered, granted, source));
    }

    private FleetAccount account() {
        FleetAccount account = new FleetAccount(
                requests.stream().mapToInt(Request::key).toArray(),
                requests.stream()
                        .mapToLong(request -> TimeUnit.MILLISECONDS.toNanos(request.due()))
                        .toArray());
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            Decision decision = request.granted()
                    ? Decision.granted(1, 0, Duration.ZERO)
                    : Decision.rejected(1, 0, Duration.ofSeconds(1));
            account.sent(i, TimeUnit.MILLISECONDS.toNanos(request.sent()));
            account.answered(
                    i, TimeUnit.MILLISECONDS.toNanos(request.answered()), decision.withSource(request.source()));
        }
        return account;
    }
}
