package io.limiter.docs;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A tour of code without annotations, and of tests of it. */
class CodeTourTest {

    private final TestClock clock = new TestClock();

    private final TestLimiterFactory limiters = new TestLimiterFactory(clock);

    @Test
    void a_limiter_is_tried() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        assertThat(search.tryAcquire()).isTrue();
        assertThat(search.tryAcquire(4)).isTrue();
        assertThat(search.tryAcquire()).isFalse();
        assertThat(search.tryAcquire("ann")).isTrue();
        assertThat(search.on("acme").on("ann").tryAcquire(5)).isTrue();
        assertThat(search.tryAcquire("ann", 1, TimeUnit.SECONDS)).isTrue();
    }

    /** With a context of Spring or a builder, {@code factory} is over Redis. */
    @Test
    void the_first_program() {
        Contexts.local().run(context -> {
            RedisRateLimiterFactory factory = context.getBean(RedisRateLimiterFactory.class);
            RedisRateLimiter limiter = factory.build("rate2", 1.0 / 5, 5, 60);
            assertThat(limiter.tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire("0171", 0, TimeUnit.SECONDS)).isTrue();
            assertThat(limiter.tryAcquire("0171", 0, TimeUnit.SECONDS)).isFalse();
        });
    }

    @Test
    void a_limiter_waits() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        search.acquire(5);
        assertThat(search.acquire()).isEqualTo(Duration.ofMillis(200));
        assertThat(search.tryAcquire(Duration.ofSeconds(1))).isTrue();
        assertThat(search.tryAcquire(5, Duration.ofMillis(1))).isFalse();
    }

    @Test
    void a_decision_says_more() {
        Limiter logins = limiters.build("logins", FixedWindow.of(3, Duration.ofMinutes(15)));
        Decision decision = logins.decide("ann");
        assertThat(decision.isGranted()).isTrue();
        assertThat(decision.remaining()).isEqualTo(2);
        assertThat(logins.on("ann").peek(3).isGranted()).isFalse();
        assertThat(logins.on("ann").decide(3).retryAfter()).hasValue(Duration.ofMinutes(15));
        assertThat(logins.on("ann").decide(4).isNever()).isTrue();
    }

    @Test
    void permits_are_reserved_and_settled_or_returned() {
        Limiter tokens = limiters.build("tokens", FixedWindow.of(1_000, Duration.ofHours(1)));
        Reservation reservation = tokens.on("ann").reserve(800);
        assertThat(reservation.isGranted()).isTrue();
        reservation.settle(300);
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(700);
        tokens.on("ann").charge(100);
        tokens.on("ann").refund(50);
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(650);
        tokens.on("ann").reset();
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(1_000);
    }

    @Test
    void permits_are_reserved_ahead() {
        RateLimiter paced = limiters.build("paced", LeakyBucket.queue(10, 50));
        paced.acquire();
        Reservation turn = paced.reserve(1, Duration.ofSeconds(5));
        assertThat(turn.decision().timeToWait()).isEqualTo(Duration.ofMillis(100));
        turn.cancel();
    }

    @Test
    void several_limits_are_all_or_nothing() {
        RateLimiter second = limiters.build("second", TokenBucket.perSecond(10));
        Limiter day = limiters.build("day", FixedWindow.of(12, CalendarPeriod.DAY));
        LimitSet both = LimitSet.of(second.on("ann")).and(day.on("ann"), 5);
        assertThat(both.tryAcquire()).isTrue();
        assertThat(both.tryAcquire()).isTrue();
        SetDecision decision = both.decide();
        assertThat(decision.isGranted()).isFalse();
        assertThat(second.on("ann").peek().remaining()).isEqualTo(8);
    }

    @Test
    void a_lease_is_held() {
        ConcurrencyLimiter exports = limiters.build("exports", ConcurrencyLimit.of(1));
        try (Lease lease = exports.on("ann").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(exports.tryAcquire("ann")).isEmpty();
        }
        Optional<Lease> next = exports.tryAcquire("ann");
        assertThat(next).isPresent();
    }

    @Test
    void futures_block_no_thread() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        CompletableFuture<Boolean> granted = search.on("ann").async().tryAcquire();
        assertThat(granted.join()).isTrue();
        assertThat(search.on("ann").async().decide(3).join().remaining()).isEqualTo(1);
    }

    @Test
    void each_kind_of_limit_has_a_name() {
        assertThat(limiters.build("log", SlidingLog.of(2, Duration.ofMinutes(1))))
                .grants(2)
                .thenRejects();
        assertThat(limiters.build("counter", SlidingCounter.of(2, Duration.ofMinutes(1))))
                .grants(2)
                .thenRejects();
        assertThat(limiters.build("meter", LeakyBucket.meter(1, 2))).grants(2).thenRejects();
        assertThat(limiters.build(
                        "sized", TokenBucket.per(6, Duration.ofMinutes(1)).withCapacity(2)))
                .grants(2)
                .thenRejects();
        RateLimiter guava = limiters.build("guava", TokenBucket.guava(5));
        guava.setRate(10);
        assertThat(guava.getRate()).isEqualTo(10);
    }

    @Test
    void options_are_one_value() {
        LimiterOptions options = LimiterOptions.NONE
                .withPrefix("shop:")
                .withFailurePolicy(FailurePolicy.DENY)
                .withPrefetch(Prefetch.of(Duration.ofMillis(100)));
        assertThat(limiters.with(options)
                        .build("hot", TokenBucket.perSecond(50_000))
                        .tryAcquire())
                .isTrue();
        Limiter banning = limiters.with(LimiterOptions.NONE.withBan(Ban.after(2)))
                .build("codes", FixedWindow.of(1, Duration.ofMinutes(1)));
        assertThat(banning.tryAcquire("ann")).isTrue();
    }

    @Test
    void configuration_defines_limits_of_code() {
        Contexts.local()
                .withPropertyValues(
                        "limiter.limits.quotes.rate=50",
                        "limiter.limits.orders.limit=1000",
                        "limiter.limits.orders.per=1d",
                        "limiter.limits.exports.kind=concurrent",
                        "limiter.limits.exports.limit=2")
                .run(context -> {
                    LimiterFactory configured = context.getBean(LimiterFactory.class);
                    assertThat(configured.rateLimiter("quotes").limit()).isEqualTo(TokenBucket.perSecond(50));
                    assertThat(configured.limiter("orders").limit().capacity()).isEqualTo(1_000);
                    assertThat(configured.concurrencyLimiter("exports").limit().limit())
                            .isEqualTo(2);
                });
    }

    // Tests

    @Test
    void a_test_moves_the_clock_and_asks_what_is_granted() {
        Limiter search = limiters.build("search", FixedWindow.of(5, Duration.ofSeconds(12)));
        assertThat(search).on("ann").grants(5).thenRejectsFor(12, TimeUnit.SECONDS);
        clock.advance(Duration.ofSeconds(12));
        assertThat(search).on("ann").grants(5).thenRejects();
    }

    @Test
    void a_test_makes_the_decisions_that_it_needs() {
        Decision rejected = Decision.rejected(10, 0, Duration.ofSeconds(3));
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.retryAfter()).hasValue(Duration.ofSeconds(3));
        assertThat(Decision.granted(10, 9, Duration.ZERO).isGranted()).isTrue();
    }
}
