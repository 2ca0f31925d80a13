package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.limiter.Decision.Source;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bans do on every engine. */
abstract class BanContract extends LimiterContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Ban BAN = Ban.after(3, seconds(60)).withLengths(seconds(300), seconds(1500));

    private LimiterFactory banning() {
        return limiters().with(LimiterOptions.NONE.withBan(BAN));
    }

    private Limiter oncePerHour() {
        return banning().build("login", FixedWindow.of(1, HOUR));
    }

    /** Rejections are counted after their callers have gone on. */
    @AfterEach
    void awaitCounted() {
        awaitIdle();
    }

    private LimiterTotals totals(String name) {
        return limiters().statistics().totals().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Calls until the key is banned, and waits until the rejections are counted. */
    private void ban(Limiter limiter, String key, BooleanSupplier granted) {
        long bans = totals(limiter.name()).bans();
        int rejected = 0;
        while (rejected < BAN.after()) {
            Decision before = limiter.on(key).peek(1);
            assertThat(before.source()).as("not before").isNotEqualTo(Source.OVERRIDE);
            rejected += granted.getAsBoolean() ? 0 : 1;
        }
        Eventually.that(() -> assertThat(totals(limiter.name()).bans()).isEqualTo(bans + 1));
    }

    private void ban(Limiter limiter, String key) {
        ban(limiter, key, () -> limiter.tryAcquire(key));
    }

    /** Also a key that is too long to be shown. */
    @ParameterizedTest
    @ValueSource(ints = {1, 129})
    void a_key_that_is_rejected_too_often_is_banned_on_every_path_until_the_ban_ends(int length) {
        String ann = "a".repeat(length);
        Limiter limiter = oncePerHour();
        ban(limiter, ann);
        clock().advance(seconds(100));
        assertThat(limiter.on(ann).peek(1).source()).isEqualTo(Source.OVERRIDE);
        Decision rejected = limiter.decide(ann);
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Source.OVERRIDE);
        assertThat(rejected.limit()).isEqualTo(1);
        assertThat(rejected.remaining()).isZero();
        assertThat(rejected.retryAfter())
                .as("when the ban and the window have ended")
                .contains(HOUR.minus(seconds(100)));
        assertThat(limiter.tryAcquire(ann)).isFalse();
        assertThat(limiter.on(ann).tryAcquire(1, HOUR)).as("does not wait").isFalse();
        assertThat(limiter.on(ann).decide(1, HOUR)).isEqualTo(rejected);
        assertThat(limiter.on(ann).reserve(1).isGranted()).isFalse();
        assertThat(limiter.on(ann).tryAcquireUpTo(5)).isZero();
        assertThat(limiter.on(ann).peek(1)).isEqualTo(rejected);
        Limiter.Async async = limiter.on(ann).async();
        assertThat(async.decide(1).join()).isEqualTo(rejected);
        assertThat(async.decide(1, HOUR).join()).isEqualTo(rejected);
        assertThat(async.tryAcquire(1).join()).isFalse();
        assertThat(async.reserve(1).join().isGranted()).isFalse();
        assertThat(async.peek(1).join()).isEqualTo(rejected);
        assertThat(limiter.tryAcquire("bob")).isTrue();
        assertThat(limiter.tryAcquire()).as("the limiter's own permits").isTrue();
        clock().advance(seconds(200));
        assertThat(limiter.decide(ann).source()).isNotEqualTo(Source.OVERRIDE);
    }

    @Test
    void a_ban_outlasts_the_permits_that_come_back_before_its_end() {
        RateLimiter limiter = banning().build("login", TokenBucket.perSecond(1));
        ban(limiter, "ann");
        clock().advance(seconds(299));
        assertThat(limiter.tryAcquire("ann")).isFalse();
        clock().advance(seconds(1));
        assertThat(limiter.tryAcquire("ann"))
                .as("its permits were not taken during the ban")
                .isTrue();
    }

    @Test
    void each_ban_is_twice_as_long_until_the_record_is_good_again() {
        RateLimiter limiter = banning().build("login", TokenBucket.perSecond(0.1));
        for (long expected : new long[] {300, 600, 1200, 1500}) {
            ban(limiter, "ann");
            assertThat(limiter.decide("ann").retryAfter()).contains(seconds(expected));
            clock().advance(seconds(expected));
        }
        clock().advance(seconds(1500));
        ban(limiter, "ann");
        assertThat(limiter.decide("ann").retryAfter()).contains(seconds(300));
    }

    @Test
    void every_kind_of_limit_whose_permits_are_spent_bans() {
        for (Limit kind : List.of(TokenBucket.per(1, HOUR), SlidingLog.of(1, HOUR), SlidingCounter.of(1, HOUR))) {
            Limiter limiter = banning().build(kind.getClass().getSimpleName(), kind);
            ban(limiter, "ann");
            assertThat(limiter.tryAcquire("ann")).isFalse();
        }
    }

    @Test
    void rejections_of_every_form_count_once() {
        List<BooleanSupplier> forms = List.of(
                () -> oncePerHour().tryAcquire("ann"),
                () -> oncePerHour().decide("ann").isGranted(),
                () -> oncePerHour().on("ann").tryAcquire(1, seconds(1)),
                () -> oncePerHour().on("ann").reserve(1).isGranted(),
                () -> oncePerHour().on("ann").tryAcquireUpTo(5) == 1,
                () -> oncePerHour().on("ann").async().tryAcquireUpTo(5).join() == 1,
                () -> oncePerHour().on("ann").async().decide(1).join().isGranted(),
                () -> oncePerHour()
                        .on("ann")
                        .async()
                        .decide(1, seconds(1))
                        .join()
                        .isGranted(),
                () -> oncePerHour().on("ann").async().tryAcquire(1).join(),
                () -> oncePerHour().on("ann").async().reserve(1).join().isGranted(),
                () -> LimitSet.of(oncePerHour().on("ann"), limiters().build("other", FixedWindow.of(99, HOUR)))
                        .tryAcquire());
        forms.forEach(form -> {
            ban(oncePerHour(), "ann", form);
            oncePerHour().on("ann").reset();
        });
    }

    @Test
    void a_waiting_caller_is_rejected_once_if_its_timeout_ends() {
        Limiter limiter = banning().build("login", FixedWindow.of(1, seconds(1)));
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.on("ann").tryAcquire(1, seconds(1))).as("waits").isTrue();
        }
        assertThat(limiter.on("ann").peek(1).source()).isNotEqualTo(Source.OVERRIDE);
    }

    @Test
    void in_a_set_only_the_limit_that_rejects_bans_and_a_banned_key_takes_nothing() {
        RateLimiter login = banning().build("login", TokenBucket.per(1, HOUR));
        RateLimiter search =
                banning().build("search", TokenBucket.per(100, HOUR).withCapacity(100));
        LimitSet set = LimitSet.of(login.on("ann"), search.on("ann"));
        ban(login, "ann", set::tryAcquire);
        assertThat(search.on("ann").peek(1).remaining()).isEqualTo(99);
        SetDecision decided = set.decide();
        assertThat(decided.rejectedBy()).contains("login");
        assertThat(decided.decision().source()).isEqualTo(Source.OVERRIDE);
        assertThat(decided.retryAfter()).as("that of the bucket").contains(HOUR);
        assertThat(set.async().decide().join().rejectedBy()).contains("login");
        assertThat(set.peek().decision().source()).isEqualTo(Source.OVERRIDE);
        assertThat(set.async().peek(1).join().isGranted()).isFalse();
        assertThat(search.on("ann").peek(1).remaining()).isEqualTo(99);
        clock().advance(HOUR.plus(HOUR));
        assertThat(set.tryAcquire()).isTrue();
        assertThat(set.refund(1).isGranted()).isTrue();
    }

    @Test
    void a_reset_ends_the_ban_and_the_record() {
        Limiter limiter = banning().build("login", FixedWindow.of(1, seconds(10)));
        ban(limiter, "ann");
        limiter.on("ann").reset();
        assertThat(limiter.tryAcquire("ann")).isTrue();
        ban(limiter, "ann");
        assertThat(limiter.decide("ann").retryAfter()).as("as the first").contains(seconds(300));
        limiter.on("ann").async().reset().join();
        assertThat(limiter.tryAcquire("ann")).isTrue();
    }

    @Test
    void a_ban_is_that_of_the_key_whatever_its_plan() {
        RateLimiter free = banning().build("k", TokenBucket.perSecond(1));
        RateLimiter pro = banning().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(100));
        ban(free, "ann");
        assertThat(pro.tryAcquire("ann")).isFalse();
        assertThat(pro.decide("ann").source()).isEqualTo(Source.OVERRIDE);
        assertThat(limiters()
                        .build("k", TokenBucket.perSecond(100))
                        .decide("ann")
                        .source())
                .as("a limiter without the ban")
                .isNotEqualTo(Source.OVERRIDE);
    }

    @Test
    void all_plans_know_the_bans_of_the_limit_and_end_them() {
        RateLimiter free = banning().build("k", TokenBucket.perSecond(1));
        RateLimiter pro = banning().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(1));
        ban(free, "ann");
        for (String plan : List.of("k", "k.pro")) {
            assertThat(totals(plan).bansInEffect())
                    .as(plan)
                    .extracting(LimiterTotals.KeyBan::keys)
                    .containsExactly(List.of("ann"));
        }
        assertThat(totals("k.pro").bans())
                .as("it began with rejections of the other")
                .isZero();
        pro.on("ann").reset();
        assertThat(totals("k").bansInEffect()).isEmpty();
        ban(free, "ann");
        RateLimiter withoutBan =
                limiters().with(LimiterOptions.NONE.withPlan("max")).build("k", TokenBucket.perSecond(1));
        withoutBan.on("ann").async().reset().join();
        assertThat(free.tryAcquire("ann")).as("reset by a plan without a ban").isTrue();
        assertThat(totals("k").bansInEffect()).isEmpty();
        ban(free, "bob");
        limiters().with(LimiterOptions.NONE.withPrefix("other:").withBan(BAN)).build("k", TokenBucket.perSecond(1));
        assertThat(limiters().statistics().totals())
                .filteredOn(each -> each.prefix().equals("other:"))
                .singleElement()
                .satisfies(other -> assertThat(other.bansInEffect()).isEmpty());
    }

    @Test
    void a_ban_that_was_removed_is_not_shown_and_still_ends_with_a_reset() {
        Limiter limiter = oncePerHour();
        ban(limiter, "ann");
        Limiter without = limiters().build("login", FixedWindow.of(1, HOUR));
        assertThat(totals("login").ban()).isEmpty();
        assertThat(totals("login").bansInEffect()).isEmpty();
        oncePerHour();
        assertThat(totals("login").bansInEffect()).as("as long as it lasts").hasSize(1);
        without.on("ann").reset();
        assertThat(totals("login").bansInEffect()).isEmpty();
        assertThat(limiter.tryAcquire("ann")).isTrue();
    }

    @Test
    void nested_keys_have_bans_of_their_own() {
        Limiter limiter = banning().build("login", FixedWindow.of(1, HOUR));
        Limiter ann = limiter.on("shop").on("ann");
        for (int i = 0; i <= BAN.after(); i++) {
            ann.tryAcquire();
        }
        Eventually.that(() -> assertThat(ann.decide().source()).isEqualTo(Source.OVERRIDE));
        assertThat(limiter.on("shop").on("bob").tryAcquire()).isTrue();
        Limiter other = limiter.on("other").on("ann");
        assertThat(other.tryAcquire()).isTrue();
        assertThat(known("login")).containsExactly("shop ann");
        for (int i = 0; i < BAN.after(); i++) {
            other.tryAcquire();
            limiter.on("shop").tryAcquire();
        }
        limiter.on("shop").tryAcquire();
        Eventually.that(() -> assertThat(known("login")).containsExactlyInAnyOrder("shop ann", "other ann", "shop"));
        other.reset();
        assertThat(known("login")).containsExactlyInAnyOrder("shop ann", "shop");
        Limiter nested = banning().build("nested", FixedWindow.of(1, HOUR));
        for (int i = 0; i <= BAN.after(); i++) {
            nested.on("shop#1").on("ann").tryAcquire();
        }
        Eventually.that(() -> assertThat(known("nested")).containsExactly("shop#1 ann"));
    }

    private List<String> known(String name) {
        return totals(name).bansInEffect().stream()
                .map(ban -> String.join(" ", ban.keys()))
                .toList();
    }

    @Test
    void statistics_list_bans_and_banned_keys() {
        Limiter limiter = oncePerHour();
        LimiterTotals totals = totals("login");
        assertThat(totals.ban()).contains(BAN);
        ban(limiter, "ann");
        ban(limiter, "bob");
        assertThat(totals.bans()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(limiter.tryAcquire("ann")).isFalse();
        }
        assertThat(totals.rejected(Source.OVERRIDE)).isEqualTo(2);
        assertThat(totals.bansInEffect())
                .extracting(LimiterTotals.KeyBan::keys)
                .containsExactlyInAnyOrder(List.of("ann"), List.of("bob"));
        assertThat(totals.bansInEffect()).allMatch(ban -> ban.left().equals(seconds(300)));
        limiter.on("ann").reset();
        assertThat(totals.bansInEffect()).extracting(LimiterTotals.KeyBan::keys).containsExactly(List.of("bob"));
        clock().advance(seconds(300));
        assertThat(totals.bansInEffect()).isEmpty();
    }

    @Test
    void a_limit_that_cannot_have_a_ban_is_an_error_with_the_reason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> banning().build("c", ConcurrencyLimit.of(1)))
                .withMessageStartingWith("a ban works only with a limit whose permits are spent, not held");
        assertThatNullPointerException()
                .isThrownBy(() -> limiters().with(LimiterOptions.NONE.withBan(null)))
                .withMessage("ban");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> banning()
                        .with(LimiterOptions.NONE.withPrefetch(Prefetch.of(seconds(1))))
                        .build("p", TokenBucket.perSecond(10)))
                .withMessageStartingWith("a ban and prefetch exclude each other");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(
                        banning().build("k", FixedWindow.of(1, HOUR)).on("ann"),
                        banning().build("k", SlidingLog.of(1, HOUR)).on("ann")))
                .withMessageStartingWith("the same ban of 'k' is twice in one set");
    }
}
