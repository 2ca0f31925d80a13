package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.reportsOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision.Source;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.BannedKey;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans in the reports of the fleet, and live limits of banned keys: they win. */
class LiveBansTest {

    private static final LiveKey ANN = LiveKey.of("ann");
    private static final Ban BAN = Ban.after(2).withLengths(Duration.ofMinutes(10), Duration.ofDays(1));
    private static final FixedWindow ONCE = FixedWindow.of(1, Duration.ofHours(1));

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private LiveInstance factory;
    private Limiter limiter;

    @BeforeEach
    void start() {
        factory = FLEET.instance();
        limiter = factory.with(LimiterOptions.NONE.withBan(BAN)).build("login", ONCE);
    }

    private void beBanned() {
        for (int i = 0; i < 3; i++) {
            limiter.tryAcquire("ann");
        }
        Eventually.that(() -> assertThat(limiter.decide("ann").source()).isEqualTo(Source.OVERRIDE));
    }

    @Test
    void a_key_that_is_exempt_is_neither_banned_nor_counted() {
        beBanned();
        LiveLimit exempt = live(factory).put("login", ANN, LiveSettings.EXEMPT, NOTE, 0);
        assertThat(limiter.tryAcquire("ann")).isTrue();
        assertThat(limiter.on("ann").decide(100).isGranted()).isTrue();
        assertThat(limiter.on("ann").peek(1).isGranted()).isTrue();
        assertThat(limiter.on("ann").async().tryAcquire(1).join()).isTrue();
        assertThat(LimitSet.of(limiter.on("ann")).tryAcquire()).isTrue();
        live(factory).remove("login", ANN, NOTE, exempt.version());
        assertThat(limiter.decide("ann").source()).isEqualTo(Source.OVERRIDE);
        assertThat(limiter.decide("ann").retryAfter())
                .hasValueSatisfying(left -> assertThat(left).isLessThanOrEqualTo(Duration.ofHours(1)));
    }

    @Test
    void a_live_ban_is_the_one_that_counts() {
        beBanned();
        live(factory).put("login", ANN, LiveSettings.BANNED, NOTE.withExpiry(Duration.ofDays(2)), 0);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.decide("ann").retryAfter()).contains(Duration.ofDays(2));
        assertThat(limiter.on("ann").peek(1).retryAfter()).contains(Duration.ofDays(2));
    }

    @Test
    void a_key_with_parameters_of_its_own_is_banned_as_any_other() {
        live(factory).put("login", ANN, LiveSettings.NONE.withLimit(3), NOTE, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.tryAcquire("ann")).isTrue();
        }
        beBanned();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reports_have_the_bans_of_all_instances_once(boolean showKeys) {
        LiveInstance one = FLEET.instance("one", showKeys);
        LiveInstance other = FLEET.instance("other", showKeys);
        Ban ban = Ban.after(1).withLengths(Duration.ofMinutes(5), Duration.ofHours(1));
        Limiter search = one.with(LimiterOptions.NONE.withBan(ban)).build("search", ONCE);
        one.with(LimiterOptions.NONE.withBan(ban).withPlan("pro")).build("search", ONCE);
        Limiter tagged = other.with(LimiterOptions.NONE.withBan(ban)).build("search", ONCE);
        for (int i = 0; i < 2; i++) {
            search.tryAcquire("ann");
            tagged.on("shop").on("ann").tryAcquire();
        }
        Eventually.that(() ->
                assertThat(other.statistics().totals().get(0).bansInEffect()).hasSize(1));
        Limiter elsewhere = other.with(LimiterOptions.NONE.withBan(ban)).build("search", ONCE);
        FLEET.clock().advance(Duration.ofSeconds(10));
        Eventually.that(() -> assertThat(elsewhere.decide("ann").source()).isEqualTo(Source.OVERRIDE));
        List<BannedKey> bans = BannedKey.all(reportsOf(one, other));
        Instant now = Instant.ofEpochMilli(FLEET.clock().micros() / 1000);
        assertThat(bans).hasSize(2).allSatisfy(each -> {
            assertThat(each.prefix() + each.limiter()).isEqualTo("countLimit:search");
            assertThat(each.key().hashed()).isEqualTo(!showKeys);
            assertThat(each.key().value()).matches(showKeys ? "ann|shop#ann" : "[0-9a-f]{16}");
            assertThat(each.ends()).isBetween(now.plusSeconds(280), now.plusSeconds(300));
        });
        assertThat(bans).extracting(BannedKey::key).doesNotHaveDuplicates();
    }

    @Test
    void a_ban_of_the_fleet_lasts_as_long_as_any_instance_says() {
        Instant now = Instant.ofEpochSecond(1_763_650_000);
        BannedKey ann = BannedKey.of("rateLimit:", "login", LiveKey.of("ann"), now.plusSeconds(60));
        BannedKey longer = BannedKey.of("rateLimit:", "login", LiveKey.of("ann"), now.plusSeconds(90));
        BannedKey bob = BannedKey.of("rateLimit:", "login", LiveKey.of("bob"), now.plusSeconds(70));
        assertThat(BannedKey.all(List.of(report(now, bob, ann), report(now, longer), report(now, ann))))
                .containsExactly(longer, bob);
    }

    private static InstanceReport report(Instant now, BannedKey... bans) {
        return InstanceReport.of("one", now, 0, "available", List.of(), List.of(bans));
    }

    @Test
    void an_instance_reports_its_longest_bans() {
        LiveInstance one = FLEET.instance("one", true);
        Limiter brief = one.with(LimiterOptions.NONE.withBan(Ban.after(1))).build("brief", ONCE);
        Limiter lasting = one.with(
                        LimiterOptions.NONE.withBan(Ban.after(1).withLengths(Duration.ofHours(1), Duration.ofHours(1))))
                .build("lasting", ONCE);
        for (int i = 0; i < FleetReports.MAX_BANS; i++) {
            brief.on("ann-" + i).tryAcquire(2);
        }
        lasting.on("bob").tryAcquire(2);
        Eventually.that(() -> assertThat(one.statistics().totals().stream()
                        .mapToInt(each -> each.bansInEffect().size()))
                .containsExactly(FleetReports.MAX_BANS, 1));
        assertThat(BannedKey.all(reportsOf(one)))
                .hasSize(FleetReports.MAX_BANS)
                .extracting(BannedKey::key)
                .startsWith(LiveKey.of("bob"));
    }

    @Test
    void bans_of_limits_that_are_rarely_used_are_reported_too() {
        for (int i = 0; i < FleetReports.MAX_LIMITS; i++) {
            Limiter busy = factory.build("busy-" + i, ONCE);
            busy.tryAcquire("ann");
            busy.tryAcquire("ann");
        }
        factory.with(LimiterOptions.NONE.withBan(Ban.after(1)))
                .build("rare", ONCE)
                .on("ann")
                .tryAcquire(2);
        Eventually.that(() -> {
            List<InstanceReport> reports = reportsOf(factory);
            assertThat(LimitReport.sum(reports))
                    .hasSize(FleetReports.MAX_LIMITS)
                    .extracting(LimitReport::name)
                    .doesNotContain("rare");
            assertThat(BannedKey.all(reports)).extracting(BannedKey::limiter).containsExactly("rare");
        });
    }
}
