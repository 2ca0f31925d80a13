package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.reports;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which limiters a live limit changes, from when to when. */
class LiveLimitsTest {

    private static final LiveSettings SLOW =
            LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(0.1);

    // At a slow rate, a burst of a second is less than one permit.
    private static final TokenBucket SHORT_BURST = TokenBucket.of(10, 1);

    private static final TokenBucket LONG_BURST = TokenBucket.of(10, 60);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void a_put_has_to_fit_the_definition_that_was_built_last() {
        LiveInstance one = FLEET.instance();
        RateLimiter before = one.build("search", SHORT_BURST);
        assertThatIllegalArgumentException().isThrownBy(() -> put(one, "search", SLOW));
        RateLimiter refreshed = one.build("search", LONG_BURST);
        assertThat(logged(() -> put(one, "search", SLOW))).isEmpty();
        assertThat(refreshed.getRate()).isEqualTo(0.1);
        assertThat(before.getRate()).as("keeps its own").isEqualTo(10);
        reports(one);
        one.pollLiveLimits();
        assertThat(reports(one).get(0).limits().get(0).notApplied()).isEmpty();
    }

    @Test
    void a_live_limit_changes_the_limit_itself_or_one_plan() {
        LiveInstance one = FLEET.instance();
        RateLimiter own = one.build("search", LONG_BURST);
        RateLimiter pro = one.with(LimiterOptions.NONE.withPlan("pro")).build("search", TokenBucket.of(50, 60));
        put(one, "search", SLOW);
        assertThat(own.getRate()).isEqualTo(0.1);
        assertThat(pro.getRate()).isEqualTo(50);
        put(one, "search.pro", LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(20.0));
        assertThat(own.getRate()).isEqualTo(0.1);
        assertThat(pro.getRate()).isEqualTo(20);
        reports(one);
        one.pollLiveLimits();
        assertThat(reports(one).get(0).limits())
                .extracting(LimitReport::name)
                .containsExactlyInAnyOrder("search", "search.pro");
    }

    @Test
    void a_definition_that_is_built_again_is_the_last() {
        LiveInstance one = FLEET.instance();
        one.build("search", SHORT_BURST);
        one.build("search", LONG_BURST);
        one.build("search", SHORT_BURST);
        assertThatIllegalArgumentException().isThrownBy(() -> put(one, "search", SLOW));
    }

    @Test
    void the_settings_of_a_name_apply_if_they_fit_the_definition_that_was_built_last() {
        LiveInstance one = FLEET.instance();
        one.build("search", SHORT_BURST);
        one.build("search", LONG_BURST);
        put(one, "search", SLOW);
        Supplier<LiveSettings> settings = live(one).settingsOf("search");
        assertThat(settings.get()).isEqualTo(SLOW);
        one.build("search", SHORT_BURST);
        assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        one.build("search", LONG_BURST);
        assertThat(settings.get()).isEqualTo(SLOW);
    }

    @Test
    void a_change_reaches_another_instance_by_its_poll() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        RateLimiter here = search(one);
        RateLimiter there = search(other);

        LiveLimit stored = live(one).put("search", TEN, NOTE, 0);

        assertThat(stored)
                .isEqualTo(LiveLimit.of(
                        "search", Optional.empty(), TEN, 1, serverTime(), Optional.empty(), "ann", "flood"));
        assertThat(here.limit()).isEqualTo(TokenBucket.perSecond(10));
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(100));
        assertThat(live(other).version()).isZero();
        other.pollLiveLimits();
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(10));
        assertThat(live(other).list()).containsExactly(stored);
        assertThat(live(other).version()).isEqualTo(1);

        live(other).remove("search", NOTE, 1);
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(100));
        one.pollLiveLimits();
        assertThat(here.limit()).isEqualTo(TokenBucket.perSecond(100));
        assertThat(live(one).list()).isEmpty();
        assertThat(live(one).version()).isEqualTo(2);
    }

    @Test
    void applies_to_every_prefix_and_hash_tag_and_to_views_that_exist() {
        LiveInstance factory = FLEET.instance();
        RateLimiter view = search(factory).on("key");
        RateLimiter prefixed =
                factory.with(LimiterOptions.NONE.withPrefix("other:")).build("search", TokenBucket.perSecond(50));
        RateLimiter tagged = factory.with(LimiterOptions.NONE.withHashTag(HashTag.WHOLE_KEY))
                .build("search", TokenBucket.perSecond(70).withCapacity(7));
        put(factory, "search", TEN);
        assertThat(view.getRate()).isEqualTo(10);
        assertThat(prefixed.getRate()).isEqualTo(10);
        assertThat(tagged.limit()).isEqualTo(TokenBucket.perSecond(10).withCapacity(7));
    }

    @Test
    void outranks_a_rate_that_was_set_and_gives_way_to_it_again() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = search(factory);
        limiter.setRate(50);
        LiveLimit live = put(factory, "search", TEN);
        assertThat(limiter.getRate()).isEqualTo(10);
        limiter.setRate(60);
        assertThat(limiter.getRate()).isEqualTo(10);
        live(factory).remove("search", NOTE, live.version());
        assertThat(limiter.getRate()).isEqualTo(60);
    }

    @Test
    void limiters_without_live_limits_do_not_change() {
        LiveInstance factory = FLEET.instance();
        TokenBucket own = TokenBucket.perSecond(100);
        RateLimiter computed =
                factory.with(LimiterOptions.NONE.withLiveLimits(false)).build("search", own);
        put(factory, "search", TEN);
        assertThat(computed.limit()).isEqualTo(own);
        assertThat(factory.with(LimiterOptions.NONE.withLiveLimits(false))
                        .build("search", own)
                        .limit())
                .isEqualTo(own);
        assertThat(factory.build("search", own).getRate()).isEqualTo(10);
    }

    @Test
    void is_kept_when_a_limiter_is_built_again() {
        LiveInstance factory = FLEET.instance(settings -> settings.maxCachedLimiters(1));
        search(factory);
        put(factory, "search", TEN);
        for (int i = 0; i < 10; i++) {
            factory.build("other" + i, TokenBucket.perSecond(1));
        }
        System.gc();
        assertThat(search(factory).getRate()).isEqualTo(10);
    }

    @Test
    void an_unknown_name_waits_for_its_limiter() {
        LiveInstance factory = FLEET.instance();
        put(factory, "later", TEN);
        assertThat(factory.build("later", TokenBucket.perSecond(100)).getRate()).isEqualTo(10);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "unknown", LiveSettings.NONE.withRate(10)))
                .withMessage(
                        "kind must be set for the parameters of 'unknown', which has no limiter in this instance yet");
    }

    @Test
    void of_concurrent_changes_one_wins_and_the_other_gets_it() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        LiveLimit first = put(one, "search", TEN);
        LiveConflictException conflict = catchThrowableOfType(
                LiveConflictException.class,
                () -> live(other).put("search", TEN.withRate(20), ChangeNote.of("bob", ""), 0));
        assertThat(conflict.current()).contains(first);
        assertThat(conflict).hasMessageContaining("none was expected, but it has version 1 by ann");
        assertThatThrownBy(() -> live(other).remove("search", NOTE, 7)).isInstanceOf(LiveConflictException.class);
        conflict = catchThrowableOfType(
                LiveConflictException.class, () -> live(other).put("nothing", TEN, NOTE, 3));
        assertThat(conflict.current()).isEmpty();
        assertThat(live(other).put("search", TEN.withRate(20), NOTE, 1).version())
                .isEqualTo(2);
        live(other).remove("nothing", NOTE, 0);
        assertThat(live(other).version()).isEqualTo(2);
        assertThat(live(other).history()).hasSize(2);
    }

    @Test
    void ends_on_every_instance_by_itself() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        RateLimiter here = search(one);
        RateLimiter there = search(other);
        Supplier<LiveSettings> settings = live(other).settingsOf("search");
        List<LiveChange> changes = new ArrayList<>();
        live(other).subscribe(changes::add);
        LiveLimit stored = live(one).put("search", TEN, NOTE.withExpiry(Duration.ofMinutes(5)), 0);
        other.pollLiveLimits();
        assertThat(stored.expiresAt()).contains(serverTime().plus(Duration.ofMinutes(5)));
        assertThat(settings.get()).isEqualTo(TEN);

        FLEET.clock().advance(Duration.ofMinutes(5).minusNanos(1000));
        assertThat(live(one).serverTime()).isEqualTo(serverTime());
        other.pollLiveLimits();
        assertThat(live(other).list()).containsExactly(stored);
        FLEET.clock().advance(Duration.ofNanos(1000));
        assertThat(live(one).list()).isEmpty();
        FLEET.whileUnreadable(() -> {
            other.pollLiveLimits();
            assertThat(there.getRate()).isEqualTo(100);
            assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        });
        other.pollLiveLimits();
        assertThat(changes).hasSize(2);
        assertThat(changes.get(1).before()).contains(stored);
        assertThat(changes.get(1).after()).isEmpty();
        one.pollLiveLimits();
        assertThat(here.getRate()).isEqualTo(100);
        one.pollLiveLimits();
        assertThat(FLEET.<Long>commands(commands -> commands.hlen("{limiter:live}:limits")))
                .isZero();
        assertThat(put(one, "search", TEN).version()).isEqualTo(2);
    }

    @Test
    void before_the_first_reply_the_servers_time_is_that_of_this_instance() {
        FLEET.whileUnreadable(() -> {
            LiveInstance one = FLEET.instance();
            one.pollLiveLimits();
            assertThat(live(one).serverTime()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        });
    }

    @Test
    void every_method_checks_names() {
        LiveInstance one = FLEET.instance();
        put(one, "ul", TEN);
        Map<String, Consumer<String>> reads = Map.of(
                "get", each -> live(one).get(each),
                "keys", each -> live(one).keys(each),
                "settingsOf", each -> live(one).settingsOf(each));
        Map<String, Consumer<String>> changes = Map.of(
                "put", each -> live(one).put(each, TEN, NOTE, 0),
                "remove", each -> live(one).remove(each, NOTE, 1),
                "remove nothing", each -> live(one).remove(each, NOTE, 0));
        String tooLong = "n".repeat(201);
        for (String name : new String[] {null, "", " ", tooLong}) {
            Map<String, Consumer<String>> methods = new HashMap<>(changes);
            if (name != tooLong) {
                methods.putAll(reads);
            }
            methods.forEach((method, call) -> assertThatIllegalArgumentException()
                    .as("%s '%s'", method, name)
                    .isThrownBy(() -> call.accept(name))
                    .withMessageStartingWith("name must have 1 to 200 characters, had "));
        }
        assertThat(live(one).list()).hasSize(1);
    }

    @Test
    void a_limit_whose_name_is_too_long_for_a_live_limit_has_none() {
        LiveLimits live = live(FLEET.instance());
        String name = "n".repeat(201);
        assertThat(live.get(name)).isEmpty();
        assertThat(live.get(name, LiveKey.of("k"))).isEmpty();
        assertThat(live.keys(name)).isEmpty();
        assertThat(live.settingsOf(name).get()).isSameAs(LiveSettings.NONE);
    }

    @Test
    void the_failure_policy_changes_and_comes_back() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = search(factory);
        Limiter computed = search(factory.with(LimiterOptions.NONE.withLiveLimits(false)));
        LiveLimit live = put(factory, "search", LiveSettings.NONE.withFailurePolicy(FailurePolicy.DENY));
        assertThat(totalsPolicy(factory)).isEqualTo(FailurePolicy.DENY);
        assertThat(limiter.limit()).isEqualTo(computed.limit());
        live(factory).remove("search", NOTE, live.version());
        assertThat(totalsPolicy(factory)).isEqualTo(FailurePolicy.THROW);
    }

    private static FailurePolicy totalsPolicy(LiveInstance factory) {
        return factory.statistics().totals().get(0).failurePolicy().orElseThrow();
    }

    @Test
    void a_limiter_that_keeps_its_own_limit_keeps_its_failure_policy() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        RateLimiter own = other.build("search", TokenBucket.of(100, 1));
        Supplier<LiveSettings> settings = live(other).settingsOf("search");
        put(
                one,
                "search",
                TEN.withRate(0.5)
                        .withFailurePolicy(FailurePolicy.DENY)
                        .withEnforce(false)
                        .withTimeout(Duration.ofSeconds(1)));
        logged(other::pollLiveLimits);
        assertThat(own.getRate()).isEqualTo(100);
        assertThat(totalsPolicy(other)).isEqualTo(FailurePolicy.THROW);
        assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        other.with(LimiterOptions.NONE.withPrefix("a:"))
                .build("search", TokenBucket.perSecond(100).withCapacity(5));
        assertThat(settings.get().enforce()).isFalse();

        put(one, "pay", TEN.withFailurePolicy(FailurePolicy.DENY));
        other.pollLiveLimits();
        other.with(LimiterOptions.NONE.withPrefix("bucket:")).build("pay", TokenBucket.perSecond(100));
        other.with(LimiterOptions.NONE.withPrefix("window:")).build("pay", FixedWindow.of(9, Duration.ofHours(1)));
        assertThat(other.statistics().totals())
                .filteredOn(totals -> totals.name().equals("pay"))
                .extracting(totals -> totals.prefix() + totals.failurePolicy().orElseThrow())
                .containsExactlyInAnyOrder("bucket:" + FailurePolicy.DENY, "window:" + FailurePolicy.THROW);
    }

    @Test
    void a_rejection_under_the_old_definition_is_not_repeated() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.perSecond(0.1).withCapacity(1));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.REJECTION_CACHE);
        put(factory, "search", LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(1000));
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.BACKEND);
        FLEET.clock().advance(Duration.ofMillis(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void permits_prefetched_under_the_old_definition_are_not_granted() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofSeconds(1))))
                .build("search", TokenBucket.perSecond(1_000_000));
        Eventually.that(() -> assertThat(limiter.decide("key").source()).isEqualTo(Decision.Source.PREFETCH));
        put(factory, "search", LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10));
        assertThat(limiter.decide("key").source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void permits_prefetched_under_the_old_definition_are_not_returned() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofSeconds(10))))
                .build("search", TokenBucket.of(0.001, 1_000_000));
        Eventually.that(() -> assertThat(limiter.decide("key").source()).isEqualTo(Decision.Source.PREFETCH));
        put(factory, "search", LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(0.01));
        LiveInstance other = FLEET.instance();
        RateLimiter there = other.build("search", TokenBucket.of(0.001, 1_000_000));
        long before = there.on("key").peek().remaining();
        factory.close();
        assertThat(there.on("key").peek().remaining())
                .as("under ten times the rate, each would be ten")
                .isBetween(before, before + 9);
    }

    private static Instant serverTime() {
        return Instant.EPOCH.plus(FLEET.clock().micros(), ChronoUnit.MICROS);
    }
}
