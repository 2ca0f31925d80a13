package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.reports;
import static io.limiter.internal.live.LiveFleet.reportsOf;
import static io.limiter.internal.live.LiveFleet.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.Fleet;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LimitReport.HotKey;
import io.limiter.live.LimitReport.RejectedKey;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What instances report to the fleet. */
class LiveFleetTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void reports_add_up_to_what_was_counted() {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance other = FLEET.instance("other", true);
        decide(one, "ann", 4);
        decide(other, "ann", 3);
        decide(other, "bob", 2);
        assertThat(reports(one)).isEmpty();
        List<InstanceReport> reports = reportsOf(one, other);
        assertThat(reports).extracting(InstanceReport::instance).containsExactly("one", "other");
        assertThat(reports).extracting(InstanceReport::backendState).containsOnly("available");
        LimitReport sum = LimitReport.sum(reports).get(0);
        assertThat(sum.prefix()).isEqualTo("countLimit:");
        assertThat(sum.name()).isEqualTo("search");
        assertThat(sum.kind()).isEqualTo("fixed-window");
        assertThat(sum.limit()).isEqualTo(FixedWindow.of(5, HOUR).toString());
        assertThat(sum.settings())
                .isEqualTo(LiveSettings.of(LimitKind.FIXED_WINDOW)
                        .withLimit(5)
                        .withPeriod(HOUR)
                        .withFailurePolicy(FailurePolicy.THROW));
        // Ann has 5 of the 7 that she wanted.
        assertThat(sum.granted()).isEqualTo(7);
        assertThat(sum.rejected()).isEqualTo(2);
        assertThat(sum.errors()).isZero();
        assertThat(sum.bySource().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(9);
        assertThat(sum.hottest()).containsExactly(HotKey.of("ann", 7), HotKey.of("bob", 2));
        assertThat(sum.plan()).isEmpty();
        assertThat(sum.limiter()).isEqualTo("search");
        assertThat(sum.notApplied()).isEmpty();
    }

    @Test
    void reports_have_the_most_rejected_keys_of_all_instances_and_when_they_were_rejected() {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance other = FLEET.instance("other", true);
        decide(one, "ann", 8);
        decide(other, "ann", 1);
        decide(other, "bob", 6);
        decide(other, "calm", 5);
        List<RejectedKey> rejected = sum(one, other).rejectedKeys();
        assertThat(rejected).extracting(RejectedKey::key).containsExactly("ann", "bob");
        assertThat(rejected).extracting(RejectedKey::rejections).containsExactly(4L, 1L);
        assertThat(rejected.get(0).last()).hasSize(3).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(rejected.get(1).last()).hasSize(1);
    }

    @Test
    void a_plan_is_reported_with_the_limit_whose_permits_it_takes() {
        LiveInstance one = FLEET.instance("one", true);
        one.with(LimiterOptions.NONE.withPlan("pro"))
                .build("search", FixedWindow.of(9, HOUR))
                .tryAcquire("ann");
        LimitReport plan = sum(one);
        assertThat(plan.name()).isEqualTo("search.pro");
        assertThat(plan.plan()).isEqualTo("pro");
        assertThat(plan.limiter()).isEqualTo("search");
    }

    @Test
    void waits_add_up_to_those_of_the_callers() throws Exception {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance other = FLEET.instance("other", true);
        TokenBucket perSecond = TokenBucket.perSecond(1).withCapacity(1);
        Duration patience = Duration.ofMinutes(1);
        Duration waited = Duration.ZERO;
        for (LiveInstance each : List.of(one, other, one)) {
            waited = waited.plus(each.build("search", perSecond).acquire());
        }
        waited = waited.plus(Duration.ofSeconds(1));
        one.build("search", perSecond).async().tryAcquire(1, patience).join();
        waited = waited.plus(Duration.ofSeconds(1));
        LimitSet.of(other.build("search", perSecond)).decide(1, patience);
        assertThat(waited).isEqualTo(Duration.ofSeconds(4));
        LimitReport sum = sum(one, other);
        assertThat(sum.granted()).isEqualTo(5);
        assertThat(sum.waits()).isEqualTo(4);
        assertThat(sum.waited()).isEqualTo(waited);
    }

    @Test
    void a_wait_for_a_lease_counts_even_if_it_ends_in_a_rejection() {
        LiveInstance one = FLEET.instance("one", true);
        ConcurrencyLimiter limiter = one.build("report", ConcurrencyLimit.of(1));
        try (Lease lease = limiter.tryAcquire().orElseThrow()) {
            assertThat(limiter.tryAcquire(1, Duration.ofSeconds(3))).isEmpty();
        }
        LimiterTotals totals = one.statistics().totals().get(0);
        assertThat(totals.rejected()).isEqualTo(1);
        assertThat(totals.waits()).isEqualTo(1);
        assertThat(totals.waited()).isPositive();
    }

    @Test
    void a_report_of_an_older_version_has_no_waits() {
        LiveInstance one = FLEET.instance("one", true);
        decide(one, "ann", 1);
        reportsOf(one);
        FLEET.<Boolean>commands(commands -> {
            String report = commands.hget("{limiter:live}:fleet", "one");
            return commands.hset("{limiter:live}:fleet", "one", report.replaceAll("\"(waits|waitedNanos)\":\\d+,", ""));
        });
        LimitReport report = LimitReport.sum(reports(one)).get(0);
        assertThat(report.granted()).isEqualTo(1);
        assertThat(report.waits()).isZero();
        assertThat(report.waited()).isZero();
    }

    private static void decide(LiveInstance factory, String key, int times) {
        Limiter limiter = factory.build("search", FixedWindow.of(5, HOUR));
        IntStream.range(0, times).forEach(i -> limiter.tryAcquire(key));
    }

    @Test
    void a_report_that_redis_refuses_does_not_fail_the_poll() {
        LiveInstance one = FLEET.instance("one", true);
        live(one).fleet().watch();
        FLEET.<String>commands(commands -> commands.set("{limiter:live}:fleet", "not a hash"));
        assertThat(logged(one::pollLiveLimits)).isEmpty();
    }

    @Test
    void hashes_of_one_key_are_equal_in_all_instances() {
        LiveInstance one = FLEET.instance("one", false);
        LiveInstance other = FLEET.instance("other", false);
        decide(one, "ann", 6);
        decide(other, "ann", 1);
        LimitReport sum = sum(one, other);
        assertThat(sum.hottest()).singleElement().satisfies(key -> {
            assertThat(key.key()).matches("[0-9a-f]{16}");
            assertThat(key.requests()).isEqualTo(7);
            assertThat(sum.rejectedKeys()).singleElement().satisfies(rejected -> {
                assertThat(rejected.key()).isEqualTo(key.key());
                assertThat(rejected.rejections()).isEqualTo(2);
            });
            assertThat(live(one).isSame(LiveKey.of("ann"), LiveKey.hashed(key.key())))
                    .isTrue();
        });
    }

    @Test
    void an_instance_that_has_ended_is_no_longer_reported() {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance other = FLEET.instance("other", true);
        reportsOf(one, other);
        FLEET.clock().advance(Duration.ofSeconds(5));
        one.pollLiveLimits();
        assertThat(reports(one)).hasSize(2);
        FLEET.clock().advance(Duration.ofNanos(1000));
        assertThat(reports(one)).extracting(InstanceReport::instance).containsExactly("one");
        assertThat(FLEET.<Long>commands(commands -> commands.hlen("{limiter:live}:fleet")))
                .isEqualTo(1);
    }

    @Test
    void an_instance_that_has_ended_is_no_longer_reported_after_the_clock_was_set_back() {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance other = FLEET.instance("other", true);
        reportsOf(one, other);
        FLEET.clock().advance(Duration.ofHours(-1));
        one.pollLiveLimits();
        assertThat(reports(one)).extracting(InstanceReport::instance).containsExactly("one");
    }

    @Test
    void nothing_is_reported_unless_watched() {
        LiveInstance one = FLEET.instance("one", true);
        one.pollLiveLimits();
        assertThat(FLEET.<Long>commands(commands -> commands.exists("{limiter:live}:fleet", "{limiter:live}:watched")))
                .isZero();
        reportsOf(one);
        assertThat(FLEET.<Long>commands(commands -> commands.pttl("{limiter:live}:watched")))
                .isBetween(1L, 5000L);
        assertThat(FLEET.<Long>commands(commands -> commands.pttl("{limiter:live}:fleet")))
                .isBetween(1L, 10_000L);
    }

    @Test
    void an_instance_where_a_live_limit_does_not_fit_says_so() {
        LiveInstance one = FLEET.instance("one", true);
        LiveInstance tight = FLEET.instance("tight", true);
        one.build("search", TokenBucket.of(10, 60));
        tight.build("search", TokenBucket.of(10, 1));
        put(one, "search", LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(0.1));
        assertThat(logged(() -> {
                    tight.pollLiveLimits();
                    tight.with(LimiterOptions.NONE.withPrefix("another:")).build("search", TokenBucket.of(10, 1));
                }))
                .singleElement()
                .asString()
                .startsWith("Limiter 'search' keeps its own limit");
        List<InstanceReport> reports = reportsOf(one, tight);
        assertThat(reports).extracting(InstanceReport::liveVersion).containsOnly(1L);
        assertThat(reports.get(0).limits().get(0).notApplied()).isEmpty();
        assertThat(reports.get(1).limits().get(0).notApplied()).contains("capacity must be at least 1 permit");
        assertThat(LimitReport.sum(reports))
                .anyMatch(limit -> !limit.notApplied().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9999999999999999",
                "by hand",
                "",
                "1763650000123456 {\"limits\":[{\"settings\":{\"period\":\"soon\"}}]}",
                "1763650000123456 {\"limits\":[{\"settings\":{\"colour\":1}}]}",
                "1763650000123456 {\"format\":2,\"limits\":[]}",
                "1763650000123456 {\"limits\":[{\"past\":[9223372036854775807,1,1]}]}",
                "99999999999999999999 {}"
            })
    void a_report_that_cannot_be_read_is_named_and_hides_no_other(String report) {
        LiveInstance one = FLEET.instance("one", true);
        reportsOf(one);
        String stored =
                report.replace("1763650000123456", Long.toString(FLEET.clock().micros()));
        FLEET.<Boolean>commands(commands -> commands.hset("{limiter:live}:fleet", "evil", stored));
        Fleet.Reports reports = live(one).fleet().watch();
        assertThat(reports.instances()).extracting(InstanceReport::instance).containsExactly("one");
        assertThat(reports.unreadable()).singleElement().satisfies(unreadable -> {
            assertThat(unreadable.name()).isEqualTo("evil");
            assertThat(unreadable.problem()).startsWith("its report cannot be read: ");
        });
    }
}
