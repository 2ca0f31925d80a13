package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.Share;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisLock;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Live limits of one key: other parameters, exempt or banned. */
class LiveKeysTest {

    private static final LiveKey ANN = LiveKey.of("ann");
    private static final Duration HALF_HOUR = Duration.ofMinutes(30);
    private static final TokenBucket TWO = TokenBucket.perSecond(1e-5).withCapacity(2);
    private static final LiveSettings FOUR = LiveSettings.NONE.withCapacity(4);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private enum Instance {
        HASHED,
        SHOWN,
        BY_LOCK,
        JEDIS
    }

    private LiveInstance instance(Instance which) {
        return switch (which) {
            case HASHED -> FLEET.instance();
            case SHOWN -> FLEET.instance(BY_HAND.withShowKeys(true));
            case BY_LOCK -> FLEET.instance(settings -> settings.lock(new RedisLock(FLEET.connections())));
            case JEDIS ->
                FLEET.instance(resources.jedis(Resources.at(FLEET.redis().port())));
        };
    }

    private static LiveLimit put(LiveInstance factory, LiveSettings settings, ChangeNote note) {
        LiveLimits live = live(factory);
        long expected = live.get("search", ANN).map(LiveLimit::version).orElse(0L);
        return live.put("search", ANN, settings, note, expected);
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void a_banned_key_is_rejected_immediately_on_all_instances_until_the_ban_ends(Instance which) {
        LiveInstance one = instance(which);
        LiveInstance other = instance(which);
        RateLimiter limiter = other.build("search", TWO);
        limiter.tryAcquire("ann");
        LiveLimit ban = put(one, LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR));
        assertThat(ban.key().orElseThrow().hashed()).isEqualTo(which != Instance.SHOWN);
        assertThat(limiter.peek(1).isGranted()).isTrue();
        other.pollLiveLimits();

        FLEET.clock().advance(Duration.ofMinutes(10));
        Decision rejected = limiter.on("ann").decide(1, Duration.ofDays(1));
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.source()).isEqualTo(Source.OVERRIDE);
        assertThat(rejected.retryAfter()).contains(Duration.ofMinutes(20));
        assertThat(rejected.retryAfterSeconds()).hasValue(1200);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.on("ann").async().decide(1).join()).isEqualTo(rejected);
        assertThat(limiter.on("ann").peek(1)).isEqualTo(rejected);
        assertThat(limiter.tryAcquire("bob")).isTrue();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(live(other).keys("search")).containsExactly(ban);
        assertThat(live(other).list()).isEmpty();

        FLEET.clock().advance(Duration.ofMinutes(20));
        other.pollLiveLimits();
        assertThat(live(other).get("search", ANN)).isEmpty();
        assertThat(limiter.tryAcquire("ann")).as("the permit that it had").isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.decide("ann").source()).isNotEqualTo(Source.OVERRIDE);
    }

    @Test
    void a_ban_without_an_end_never_says_when_to_retry() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TWO);
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE);
        assertThat(limiter.decide("ann").retryAfter()).isEmpty();
        assertThat(limiter.decide("ann").isGranted()).isFalse();
        live(factory).remove("search", ANN, NOTE, ban.version());
        assertThat(limiter.decide("ann").isGranted()).as("immediately").isTrue();
    }

    @Test
    void to_a_caller_who_leaves_permits_it_says_how_many_it_can_use() {
        LiveInstance factory = FLEET.instance();
        RateLimiter low =
                factory.with(LimiterOptions.NONE.withLeave(Share.permits(1))).build("search", TWO);
        for (LiveSettings access : List.of(LiveSettings.BANNED, LiveSettings.EXEMPT)) {
            put(factory, access, NOTE);
            Decision decision = low.on("ann").decide(1, HALF_HOUR);
            assertThat(decision.source()).isEqualTo(Source.OVERRIDE);
            assertThat(decision.isGranted()).isEqualTo(access == LiveSettings.EXEMPT);
            assertThat(decision.limit()).isOne();
            assertThat(low.tryAcquire("ann")).isEqualTo(access == LiveSettings.EXEMPT);
        }
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void an_exempt_key_takes_nothing_and_is_counted(Instance which) {
        LiveInstance factory = instance(which);
        RateLimiter limiter = factory.build("search", TWO);
        put(factory, LiveSettings.EXEMPT, NOTE.withExpiry(HALF_HOUR));
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.on("ann").tryAcquire(3))
                    .as("more than the capacity")
                    .isTrue();
        }
        Decision decision = limiter.on("ann").async().decide(9).join();
        assertThat(decision.isGranted()).isTrue();
        assertThat(decision.source()).isEqualTo(Source.OVERRIDE);
        assertThat(limiter.on("ann").charge(2).isGranted()).isTrue();
        assertThat(limiter.on("ann").refund(2).source()).isEqualTo(Source.OVERRIDE);
        Reservation reservation = limiter.on("ann").reserve(2);
        assertThat(reservation.decision().isGranted()).isTrue();
        assertThat(reservation.cancel()).as("nothing was taken").isFalse();
        limiter.on("ann").async().reserve(2).join();
        var totals = factory.statistics().totals().get(0);
        assertThat(totals.granted(Source.OVERRIDE)).isEqualTo(8);
        assertThat(totals.hottestKeys()).singleElement().satisfies(hot -> {
            assertThat(hot.keys()).containsExactly("ann");
            assertThat(hot.requests()).isEqualTo(8);
        });
        FLEET.clock().advance(HALF_HOUR);
        factory.pollLiveLimits();
        assertThat(limiter.on("ann").peek(2).remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void a_key_has_other_parameters_on_the_same_permits(Instance which) {
        LiveInstance factory = instance(which);
        Limiter limiter = factory.build("search", FixedWindow.of(2, HALF_HOUR));
        assertThat(limiter.on("ann").tryAcquire(2)).isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
        LiveLimit four = put(factory, LiveSettings.NONE.withLimit(4), NOTE);
        assertThat(limiter.on("ann").limit()).isEqualTo(FixedWindow.of(4, HALF_HOUR));
        assertThat(limiter.limit()).isEqualTo(FixedWindow.of(2, HALF_HOUR));
        assertThat(limiter.on("ann").tryAcquire(2))
                .as("not hidden by the cached rejection")
                .isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.on("bob").tryAcquire(3)).isFalse();
        live(factory).remove("search", ANN, NOTE, four.version());
        assertThat(limiter.on("ann").limit()).isEqualTo(FixedWindow.of(2, HALF_HOUR));
    }

    @Test
    void what_it_does_not_set_is_that_of_the_live_limit_of_all_keys_or_the_limiter() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = search(factory);
        put(factory, LiveSettings.NONE.withCapacity(7), NOTE);
        LiveFleet.put(factory, "search", TEN);
        assertThat(limiter.on("ann").limit())
                .isEqualTo(TokenBucket.perSecond(10).withCapacity(7));
        limiter.setRate(50);
        assertThat(limiter.on("ann").limit().permitsPerSecond()).isEqualTo(10);
        RateLimiter later =
                factory.with(LimiterOptions.NONE.withPrefix("other:")).build("search", TokenBucket.perSecond(20));
        assertThat(later.on("ann").limit()).isEqualTo(TokenBucket.perSecond(10).withCapacity(7));
        RateLimiter without =
                factory.with(LimiterOptions.NONE.withLiveLimits(false)).build("search", TokenBucket.perSecond(20));
        assertThat(without.on("ann").limit())
                .as("as a resolver chooses it, with what the operator changes for the key")
                .isEqualTo(TokenBucket.perSecond(50).withCapacity(7));
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void a_banned_part_rejects_a_set_and_an_exempt_one_takes_nothing(Instance which) {
        LiveInstance factory = instance(which);
        RateLimiter limiter = factory.build("search", TWO);
        Limiter quota = factory.build("quota", FixedWindow.of(3, HALF_HOUR));
        LimitSet set = LimitSet.of(limiter.on("ann"), quota.on("team"));
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR));
        for (SetDecision rejected : List.of(set.decide(1), set.async().decide(1).join())) {
            assertThat(rejected.isGranted()).isFalse();
            assertThat(rejected.decision().source()).isEqualTo(Source.OVERRIDE);
            assertThat(rejected.decision().retryAfter()).contains(HALF_HOUR);
        }
        assertThat(quota.on("team").peek(1).remaining()).isEqualTo(3);
        assertThat(set.peek(1).isGranted()).isFalse();

        live(factory).put("search", ANN, LiveSettings.EXEMPT, NOTE, ban.version());
        assertThat(set.decide(2).isGranted()).isTrue();
        SetDecision granted = set.async().decide(1).join();
        assertThat(granted.isGranted()).isTrue();
        assertThat(granted.parts())
                .extracting(part -> part.decision().source())
                .containsExactly(Source.OVERRIDE, Source.BACKEND);
        assertThat(set.decide(1).isGranted()).as("the other limit rejects").isFalse();
        assertThat(set.tryAcquire(1)).isFalse();
        assertThat(LimitSet.of(limiter.on("ann")).decide(99).isGranted()).isTrue();
        assertThat(LimitSet.of(limiter.on("ann")).async().tryAcquire(99).join()).isTrue();
        set.refund(1);
        assertThat(quota.on("team").peek(1).remaining()).isOne();
        assertThat(quota.on("team").peek(1).isGranted()).isTrue();
        Limiter model = factory.build("model", FixedWindow.of(3, HALF_HOUR));
        SetReservation reserved =
                LimitSet.of(limiter.on("ann"), model.on("team")).reserve(3);
        reserved.settle(9, 1);
        assertThat(model.on("team").peek(1).remaining()).isEqualTo(2);
        LiveLimit exempt = live(factory).get("search", ANN).orElseThrow();
        live(factory).remove("search", ANN, NOTE, exempt.version());
        assertThat(limiter.on("ann").peek(2).isGranted()).as("took nothing").isTrue();
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void more_is_not_settled_while_a_key_is_exempt_or_banned(Instance which) {
        LiveInstance factory = instance(which);
        RateLimiter limiter =
                factory.build("search", TokenBucket.perSecond(1e-5).withCapacity(20));
        long charged = 0;
        for (LiveSettings settings : List.of(LiveSettings.EXEMPT, LiveSettings.BANNED)) {
            Reservation more = limiter.on("ann").reserve(1);
            Reservation later = limiter.on("ann").async().reserve(1).join();
            SetReservation set = LimitSet.of(limiter.on("ann")).reserve(1);
            Reservation fewer = limiter.on("ann").reserve(3);
            Reservation right = limiter.on("ann").reserve(2);
            LiveLimit changed = put(factory, settings, NOTE);
            assertThat(more.settle(2)).isFalse();
            assertThat(later.settleAsync(2).join()).isFalse();
            assertThat(set.settle(2)).isFalse();
            assertThat(fewer.settle(1)).isTrue();
            assertThat(right.settle(2)).isTrue();
            live(factory).remove("search", ANN, NOTE, changed.version());
            charged += 1 + 1 + 1 + 1 + 2;
            assertThat(limiter.on("ann").peek(1).remaining()).isEqualTo(20 - charged);
        }
    }

    @ParameterizedTest
    @EnumSource(Instance.class)
    void concurrency_limits_obey_too(Instance which) {
        LiveInstance factory = instance(which);
        ConcurrencyLimiter limiter =
                factory.build("search", ConcurrencyLimit.of(1).withLeaseTime(HALF_HOUR));
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR));
        assertThat(limiter.on("ann").tryAcquire(1, Duration.ofDays(1))).isEmpty();
        assertThatThrownBy(() -> limiter.on("ann").acquire(1, Duration.ofDays(1)))
                .isInstanceOf(RateLimitExceededException.class);
        assertThat(limiter.on("ann").peek().retryAfter()).contains(HALF_HOUR);
        LiveLimit exempt = live(factory).put("search", ANN, LiveSettings.EXEMPT, NOTE, ban.version());
        try (Lease one = limiter.on("ann").acquire(1, Duration.ZERO);
                Lease two = limiter.on("ann").async().acquire(1, Duration.ZERO).join()) {
            assertThat(one.isHeld()).isTrue();
            assertThat(two.isHeld()).isTrue();
            assertThat(limiter.on("ann").inUse()).isZero();
        }
        live(factory).put("search", ANN, LiveSettings.of(LimitKind.CONCURRENT).withLimit(2), NOTE, exempt.version());
        try (Lease one = limiter.on("ann").acquire(1, Duration.ZERO);
                Lease two = limiter.on("ann").acquire(1, Duration.ZERO)) {
            assertThat(one.isHeld()).isTrue();
            assertThat(two.isHeld()).isTrue();
            assertThat(limiter.on("ann").tryAcquire(1, Duration.ZERO)).isEmpty();
            assertThat(limiter.on("ann").inUse()).isEqualTo(2);
        }
    }

    @Test
    void a_caller_that_waits_for_a_lease_sees_a_ban_or_an_exemption_when_it_is_decided_next() {
        HandSleeper sleeper = new HandSleeper(FLEET.clock());
        LiveInstance factory = FLEET.instance(settings -> RedisFixture.withSleeper(settings, sleeper));
        ConcurrencyLimiter limiter =
                factory.build("search", ConcurrencyLimit.of(1).withLeaseTime(HALF_HOUR));
        Lease held = limiter.on("ann").acquire(1, Duration.ZERO);
        for (LiveSettings settings : List.of(LiveSettings.BANNED, LiveSettings.EXEMPT)) {
            List<CompletableFuture<Optional<Lease>>> waiting = IntStream.range(0, 3)
                    .mapToObj(i -> limiter.on("ann").async().tryAcquire(1, HALF_HOUR))
                    .toList();
            Eventually.that(() -> assertThat(sleeper.pending()).isOne());
            LiveLimit stored = put(factory, settings, NOTE);
            long before = FLEET.clock().micros();
            sleeper.run();
            assertThat(waiting)
                    .allSatisfy(each -> assertThat(each)
                            .isCompletedWithValueMatching(
                                    lease -> lease.isPresent() == (settings == LiveSettings.EXEMPT)));
            assertThat(FLEET.clock().micros() - before).isLessThanOrEqualTo(1_000_000);
            live(factory).remove("search", ANN, NOTE, stored.version());
        }
        held.close();
        var totals = factory.statistics().totals().get(0);
        assertThat(totals.rejected(Source.OVERRIDE)).isEqualTo(3);
        assertThat(totals.granted(Source.OVERRIDE)).isEqualTo(3);
    }

    @Test
    void a_caller_that_waits_for_a_lease_obeys_a_limit_that_is_lowered_and_raised() {
        HandSleeper sleeper = new HandSleeper(FLEET.clock());
        LiveInstance factory = FLEET.instance(settings -> RedisFixture.withSleeper(settings, sleeper));
        ConcurrencyLimiter limiter = factory.build(
                        "search", ConcurrencyLimit.of(2).withLeaseTime(HALF_HOUR))
                .on("ann");
        Lease one = limiter.acquire(1, Duration.ZERO);
        Lease other = limiter.acquire(1, Duration.ZERO);
        CompletableFuture<Optional<Lease>> first = limiter.async().tryAcquire(1, HALF_HOUR);
        CompletableFuture<Optional<Lease>> second = limiter.async().tryAcquire(1, HALF_HOUR);
        Eventually.that(() -> assertThat(sleeper.pending()).isOne());
        LiveSettings concurrent = LiveSettings.of(LimitKind.CONCURRENT);
        put(factory, concurrent.withLimit(1), NOTE);
        one.close();
        assertThat(limiter.inUse())
                .as("after the request that this release has caused")
                .isOne();
        Eventually.that(() -> assertThat(sleeper.pending()).isOne());
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();

        put(factory, concurrent.withLimit(2), NOTE);
        sleeper.run();
        Eventually.that(() -> assertThat(first).isCompleted());
        Lease granted = first.join().orElseThrow();
        assertThat(limiter.tryAcquire(1, Duration.ZERO)).as("must not overtake").isEmpty();
        assertThat(second).isNotDone();
        assertThat(limiter.inUse()).isEqualTo(2);
        other.close();
        granted.close();
        second.join().orElseThrow().close();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void a_caller_that_would_wait_for_a_window_is_rejected_immediately_by_a_ban_that_ends_before() {
        LiveInstance factory = FLEET.instance();
        Limiter window = factory.build("search", FixedWindow.of(2, HALF_HOUR));
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR));
        long before = FLEET.clock().micros();
        assertThat(window.on("ann").tryAcquire(1, Duration.ofDays(1))).isFalse();
        assertThat(window.on("ann").async().decide(1, Duration.ofDays(1)).join().retryAfter())
                .contains(HALF_HOUR);
        LimitSet set = LimitSet.of(window.on("ann"));
        assertThat(set.decide(1, Duration.ofDays(1)).isGranted()).isFalse();
        assertThat(set.async().tryAcquire(1, Duration.ofDays(1)).join()).isFalse();
        assertThat(FLEET.clock().micros()).as("no wait").isEqualTo(before);
        live(factory).put("search", ANN, LiveSettings.EXEMPT, NOTE, ban.version());
        assertThat(window.on("ann").tryAcquire(99, Duration.ofDays(1))).isTrue();
        assertThat(set.async().decide(99, Duration.ofDays(1)).join().isGranted())
                .isTrue();
        assertThat(FLEET.clock().micros()).isEqualTo(before);
    }

    @Test
    void a_key_with_prefetched_permits_obeys() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofSeconds(10))))
                .build("search", TokenBucket.perSecond(1).withCapacity(1000));
        for (int i = 0; i < 40; i++) {
            assertThat(limiter.tryAcquire("ann")).isTrue();
        }
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        live(factory).put("search", ANN, FOUR, NOTE, ban.version());
        int granted = 0;
        while (granted < 100 && limiter.tryAcquire("ann")) {
            granted++;
        }
        assertThat(granted)
                .as("none of those that were prefetched under the larger limit")
                .isLessThanOrEqualTo(4);
    }

    @Test
    void no_change_lets_a_key_exceed_the_larger_of_its_definitions() {
        Random random = Seed.random();
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        TokenBucket own = TokenBucket.perSecond(5).withCapacity(10);
        TokenBucket gold = TokenBucket.perSecond(8).withCapacity(20);
        // A caller may change its plan.
        List<RateLimiter> limiters = Stream.of(one, other)
                .flatMap(each -> Stream.of(
                        each.build("search", own),
                        each.with(LimiterOptions.NONE.withPlan("gold")).build("search", gold)))
                .toList();
        double capacity = gold.maxPermits();
        double rate = gold.permitsPerSecond();
        Map<String, Ledger> ledgers = new HashMap<>();
        for (int i = 0; i < 1_500; i++) {
            String key = random.nextBoolean() ? "ann" : "bob";
            int step = random.nextInt(20);
            if (step == 0) {
                LiveKey changed = LiveKey.of(key);
                Optional<LiveLimit> now = live(one).get("search", changed);
                if (now.isPresent() && random.nextInt(3) == 0) {
                    live(one).remove("search", changed, NOTE, now.get().version());
                } else {
                    double newRate = 1 + random.nextInt(20);
                    double newCapacity = 1 + random.nextInt(30);
                    boolean bans = random.nextInt(4) == 0;
                    live(one)
                            .put(
                                    "search",
                                    changed,
                                    bans
                                            ? LiveSettings.BANNED
                                            : LiveSettings.NONE
                                                    .withRate(newRate)
                                                    .withCapacity(newCapacity),
                                    random.nextBoolean() ? NOTE : NOTE.withExpiry(Duration.ofSeconds(2)),
                                    now.map(LiveLimit::version).orElse(0L));
                    if (!bans) {
                        capacity = Math.max(capacity, newCapacity);
                        rate = Math.max(rate, newRate);
                    }
                }
            } else if (step == 1) {
                other.pollLiveLimits();
            } else if (step < 5) {
                FLEET.clock().advance(Duration.ofMillis(random.nextInt(500)));
                one.pollLiveLimits();
            } else {
                int permits = 1 + random.nextInt(3);
                if (limiters.get(random.nextInt(4)).on(key).tryAcquire(permits)) {
                    ledgers.computeIfAbsent(key, k -> new Ledger())
                            .granted(FLEET.clock().micros(), permits);
                }
            }
        }
        for (Ledger ledger : ledgers.values()) {
            assertThat(ledger.excess(capacity, rate)).as(Seed.hint()).isZero();
        }
        assertThat(ledgers).hasSize(2);
    }
}
