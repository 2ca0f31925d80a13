package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What plans of a limit do on every engine. */
abstract class PlanContract extends LimiterContract {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void a_plan_takes_the_permits_of_its_limit_and_a_change_of_plan_keeps_what_was_used() {
        RateLimiter free = limiters().build("k", TokenBucket.perSecond(5));
        RateLimiter pro = limiters().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(50));
        assertThat(free.on("ann").tryAcquire(3)).isTrue();
        assertThat(pro.on("ann").peek().remaining()).as("two of five").isEqualTo(20);
        assertThat(pro.on("ann").tryAcquire(20)).isTrue();
        assertThat(pro.tryAcquire("ann")).isFalse();
        assertThat(free.tryAcquire("ann")).isFalse();
        clock().advance(Duration.ofMillis(20));
        assertThat(pro.tryAcquire("ann")).isTrue();
        clock().advance(Duration.ofMillis(100));
        assertThat(free.tryAcquire("ann")).as("half a permit").isFalse();
        clock().advance(Duration.ofMillis(100));
        assertThat(free.tryAcquire("ann")).isTrue();
        assertThat(pro.on("bob").tryAcquire(50)).isTrue();
        assertThat(free.tryAcquire("bob")).isFalse();
    }

    @Test
    void a_key_rejected_under_one_plan_is_decided_under_the_parameters_of_the_next() {
        for (var kind : List.of(FixedWindow.of(1, HOUR), SlidingLog.of(1, HOUR), SlidingCounter.of(1, HOUR))) {
            String name = kind.getClass().getSimpleName();
            Limiter free = limiters().with(LimiterOptions.NONE.withPlan("free")).build(name, kind);
            Limiter pro = limiters()
                    .with(LimiterOptions.NONE.withPlan("pro"))
                    .build(
                            name,
                            kind instanceof FixedWindow
                                    ? FixedWindow.of(3, HOUR)
                                    : kind instanceof SlidingLog ? SlidingLog.of(3, HOUR) : SlidingCounter.of(3, HOUR));
            assertThat(free.tryAcquire("ann")).isTrue();
            for (int i = 0; i < 2; i++) {
                assertThat(free.tryAcquire("ann")).as(name).isFalse();
            }
            assertThat(pro.tryAcquire("ann")).as(name).isTrue();
            assertThat(pro.tryAcquire("ann")).as(name).isTrue();
            for (int i = 0; i < 2; i++) {
                assertThat(pro.tryAcquire("ann")).as(name).isFalse();
                assertThat(free.tryAcquire("ann")).as(name).isFalse();
            }
        }
    }

    @Test
    void an_unlimited_plan_grants_takes_and_settles_nothing_and_is_counted() {
        Map<String, Limit> limits = new LinkedHashMap<>();
        limits.put("bucket", TokenBucket.perSecond(1));
        limits.put("window", FixedWindow.of(1, HOUR));
        limits.put("log", SlidingLog.of(1, HOUR));
        limits.forEach((name, limit) -> {
            Limiter free = limiters().build(name, limit);
            Limiter gold = limiters()
                    .with(LimiterOptions.NONE.withPlan("gold").withUnlimited(true))
                    .build(name, limit);
            for (Limiter each : List.of(gold, gold.on("ann"))) {
                assertThat(each.tryAcquire(5)).as(name).isTrue();
                assertThat(each.decide().source()).isEqualTo(Decision.Source.OVERRIDE);
                Reservation reserved = each.reserve(3);
                assertThat(reserved.isGranted()).isTrue();
                assertThat(reserved.settle(1)).as("%s settled", name).isFalse();
                each.charge(9);
                each.refund(9);
                assertThat(LimitSet.of(each)
                                .and(limiters().build("other " + name, FixedWindow.of(100, HOUR)))
                                .decide()
                                .isGranted())
                        .isTrue();
            }
            assertThat(free.on("ann").tryAcquire()).as("%s of the limit", name).isTrue();
            assertThat(free.on("ann").tryAcquire()).isFalse();
            assertThat(free.peek().remaining()).isEqualTo(1);
            assertThat(gold.tryAcquire("ann")).isTrue();
            LimiterTotals counted = limiters().statistics().totals().stream()
                    .filter(totals -> totals.name().equals(name + ".gold"))
                    .findFirst()
                    .orElseThrow();
            assertThat(counted.granted()).isEqualTo(9);
        });
        ConcurrencyLimiter held = limiters()
                .with(LimiterOptions.NONE.withPlan("gold").withUnlimited(true))
                .build("held", ConcurrencyLimit.of(1));
        try (Lease one = held.acquire("ann");
                Lease two = held.acquire("ann")) {
            assertThat(one.isHeld()).isTrue();
            assertThat(two.isHeld()).isTrue();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limiters().with(LimiterOptions.NONE.withUnlimited(true)).build("k", FixedWindow.of(1, HOUR)))
                .withMessageContaining("only a plan can be unlimited");
    }

    /** Had a visit to the short plan ended the long period, any caller who chooses the plan would have a quota at each visit. */
    @Test
    void a_visit_to_a_plan_with_a_shorter_period_gives_back_nothing() {
        Duration day = Duration.ofDays(1);
        Duration minute = Duration.ofMinutes(1);
        check("window", FixedWindow.of(40, day), FixedWindow.of(50, minute));
        FixedWindow byClock = FixedWindow.of(40, CalendarPeriod.DAY);
        check("clock", byClock, FixedWindow.of(50, CalendarPeriod.MINUTE));
        check("one clock", byClock, FixedWindow.of(50, minute));
        check("log", SlidingLog.of(40, day), SlidingLog.of(50, minute));
        check("counter", SlidingCounter.of(40, day), SlidingCounter.of(50, minute));
    }

    private void check(String name, Limit daily, Limit minutely) {
        Limiter day = limiters().with(LimiterOptions.NONE.withPlan("day")).build(name, daily);
        Limiter minute = limiters().with(LimiterOptions.NONE.withPlan("minute")).build(name, minutely);
        // Not at the end of a day.
        clock().advance(HOUR);
        clock().advance(Duration.ofHours(clock().micros() / 3_600_000_000L % 24 > 12 ? 12 : 0));
        assertThat(day.on("ann").tryAcquire(40)).isTrue();
        for (int i = 0; i < 3; i++) {
            minute.tryAcquire("ann");
            clock().advance(Duration.ofSeconds(90));
            assertThat(day.tryAcquire("ann"))
                    .as("%s after a visit to %s", daily, minutely)
                    .isFalse();
        }
        assertThat(minute.tryAcquire("ann")).isTrue();
        assertThat(minute.on("ann").peek().remaining()).isEqualTo(minute.limit().capacity() - 1);
    }

    @Test
    void random_walks_over_three_plans_of_a_bucket_never_exceed_the_largest() {
        Random random = Seed.random();
        for (int walk = 0; walk < steps(3); walk++) {
            List<TokenBucket> three = random.doubles(3, 0, 2)
                    .mapToObj(exponent ->
                            TokenBucket.perSecond(Math.pow(10, exponent)).withCapacity(1 + random.nextInt(20)))
                    .toList();
            List<RateLimiter> plans = new ArrayList<>();
            for (TokenBucket limit : three) {
                plans.add(limiters()
                        .with(LimiterOptions.NONE.withPlan("p" + plans.size()))
                        .build("walk" + walk, limit));
            }
            Ledger ledger = new Ledger();
            Map<Reservation, Ledger.Entry> open = new LinkedHashMap<>();
            List<String> story = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                clock().advance(Duration.ofMillis(random.nextInt(3) > 0 ? 0 : random.nextInt(300)));
                if (random.nextInt(3) == 0 && !open.isEmpty()) {
                    Reservation one = new ArrayList<>(open.keySet()).get(random.nextInt(open.size()));
                    Ledger.Entry entry = open.remove(one);
                    if (one.cancel()) {
                        entry.cancel();
                    }
                    story.add(clock().micros() + ": cancelled " + one);
                } else {
                    int plan = random.nextInt(3);
                    int permits = 1 + random.nextInt(random.nextBoolean() ? 3 : 20);
                    Reservation one = plans.get(plan)
                            .on("ann")
                            .reserve(permits, Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(3000)));
                    if (one.isGranted()) {
                        open.put(
                                one,
                                ledger.granted(clock().micros() + one.decision().waitMicros(), permits));
                    }
                    story.add(clock().micros() + ": " + plan + " asked for " + permits + ", " + one);
                }
            }
            assertThat(ledger.excess(three))
                    .as(() -> three + ": " + ledger + story + " " + Seed.hint())
                    .isZero();
        }
    }

    @Test
    void what_is_cancelled_is_returned_to_all_plans_and_nothing_else() {
        Duration hour = Duration.ofHours(1);
        Duration minute = Duration.ofMinutes(1);
        checkCancelled("window", FixedWindow.of(60, hour), FixedWindow.of(60, minute));
        checkCancelled("log", SlidingLog.of(60, hour), SlidingLog.of(60, minute));
        checkCancelled("counter", SlidingCounter.of(60, hour), SlidingCounter.of(60, minute));
    }

    /** What one plan rejects changes nothing for another one, also not what it cancels later. */
    @Test
    void plans_of_a_bucket_decide_as_if_others_that_reject_had_not_been_asked() {
        Random random = Seed.random();
        RateLimiter asks = limiters()
                .with(LimiterOptions.NONE.withPlan("asks"))
                .build("visited", TokenBucket.perSecond(77.23).withCapacity(83));
        TokenBucket limit = TokenBucket.perSecond(4.987).withCapacity(60);
        RateLimiter visited = limiters().build("visited", limit);
        RateLimiter alone = limiters().build("alone", limit);
        Map<Reservation, Reservation> open = new LinkedHashMap<>();
        for (int i = 0; i < 60; i++) {
            clock().advance(Duration.ofMillis(random.nextInt(3) > 0 ? 0 : random.nextInt(1000)));
            assertThat(asks.on("ann").tryAcquire(84)).isFalse();
            if (random.nextInt(3) == 0 && !open.isEmpty()) {
                Reservation one = new ArrayList<>(open.keySet()).get(random.nextInt(open.size()));
                assertThat(one.cancel())
                        .as(Seed.hint())
                        .isEqualTo(open.remove(one).cancel());
            } else {
                int permits = 1 + random.nextInt(random.nextBoolean() ? 3 : 46);
                Duration timeout = Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(3000));
                Reservation one = visited.on("ann").reserve(permits, timeout);
                Reservation other = alone.on("ann").reserve(permits, timeout);
                assertThat(one.isGranted()).as(Seed.hint()).isEqualTo(other.isGranted());
                if (one.isGranted()) {
                    open.put(one, other);
                }
            }
            assertThat(asks.on("ann").tryAcquire(84)).isFalse();
            assertThat(visited.on("ann").peek().remaining())
                    .as(Seed.hint())
                    .isEqualTo(alone.on("ann").peek().remaining());
        }
    }

    private void checkCancelled(String name, Limit one, Limit other) {
        Limiter first = limiters().with(LimiterOptions.NONE.withPlan("first")).build(name, one);
        Limiter second = limiters().with(LimiterOptions.NONE.withPlan("second")).build(name, other);
        for (int i = 0; i < 2; i++) {
            Limiter reserves = i == 0 ? first : second;
            Limiter visits = i == 0 ? second : first;
            String key = "ann" + i;
            assertThat(visits.tryAcquire(key)).isTrue();
            Reservation reserved = reserves.on(key).reserve(40);
            assertThat(reserved.isGranted()).isTrue();
            assertThat(visits.tryAcquire(key)).isTrue();
            assertThat(visits.on(key).tryAcquire(30))
                    .as("%s of %s", visits.limit(), one)
                    .isFalse();
            assertThat(reserved.cancel()).isTrue();
            assertThat(visits.on(key).peek().remaining())
                    .as("%s after %s", visits.limit(), reserves.limit())
                    .isEqualTo(58);
            assertThat(reserves.on(key).peek().remaining())
                    .as("%s after %s", reserves.limit(), visits.limit())
                    .isEqualTo(58);
        }
    }

    @Test
    void a_rate_that_is_set_is_that_of_the_plan_or_of_the_limit_itself() {
        RateLimiter own = limiters().build("k", TokenBucket.perSecond(5));
        RateLimiter pro = limiters().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(50));
        pro.setRate(100);
        assertThat(own.getRate()).isEqualTo(5);
        own.setRate(1);
        assertThat(pro.getRate()).isEqualTo(100);
        assertThat(limiters()
                        .with(LimiterOptions.NONE.withPlan("pro").withFailurePolicy(FailurePolicy.DENY))
                        .build("k", TokenBucket.perSecond(50))
                        .getRate())
                .isEqualTo(100);
    }

    @Test
    void leases_of_all_plans_count() {
        ConcurrencyLimiter free = limiters().build("k", ConcurrencyLimit.of(1));
        ConcurrencyLimiter pro =
                limiters().with(LimiterOptions.NONE.withPlan("pro")).build("k", ConcurrencyLimit.of(2));
        try (Lease first = free.on("ann").acquire(1, Duration.ZERO)) {
            assertThat(free.tryAcquire("ann")).isEmpty();
            try (Lease second = pro.on("ann").acquire(1, Duration.ZERO)) {
                assertThat(first.isHeld() && second.isHeld()).isTrue();
                assertThat(pro.tryAcquire("ann")).isEmpty();
                assertThat(free.on("ann").inUse()).isEqualTo(2);
            }
        }
        assertThat(pro.on("ann").inUse()).isZero();
    }

    @Test
    void two_plans_of_a_key_are_the_same_permits() {
        Limiter free = limiters().with(LimiterOptions.NONE.withPlan("free")).build("k", TokenBucket.perSecond(5));
        Limiter pro = limiters().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(50));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSet.of(free.on("ann")).and(pro.on("ann")))
                .withMessageContaining("the same permits of 'k.pro' are twice in one set");
        assertThat(LimitSet.of(free.on("ann")).and(pro.on("bob")).decide().isGranted())
                .isTrue();
    }

    @Test
    void statistics_know_a_plan_by_its_name() {
        assertThat(limiters().build("k", TokenBucket.perSecond(5)).tryAcquire()).isTrue();
        RateLimiter pro = limiters().with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(50));
        assertThat(pro.tryAcquire()).isTrue();
        assertThat(pro.name()).isEqualTo("k.pro");
        List<LimiterTotals> totals = limiters().statistics().totals().stream()
                .filter(each -> each.limiter().equals("k"))
                .toList();
        assertThat(totals).extracting(LimiterTotals::name).containsExactly("k", "k.pro");
        assertThat(totals).extracting(LimiterTotals::plan).containsExactly(Optional.empty(), Optional.of("pro"));
        assertThat(totals).extracting(LimiterTotals::granted).containsExactly(1L, 1L);
        assertThat(totals.get(1).limit()).contains(pro.limit());
    }
}
