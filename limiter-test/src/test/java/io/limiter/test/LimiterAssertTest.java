package io.limiter.test;

import static io.limiter.test.LimiterAssertions.assertThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LimiterAssertTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TestClock clock = new TestClock();
    private final TestLimiterFactory limiters = new TestLimiterFactory(clock);
    private final RateLimiter limiter =
            limiters.build("search", TokenBucket.per(5, MINUTE).withCapacity(5));

    @Test
    void a_bucket_grants_its_capacity_and_then_one_at_each_refill() {
        assertThat(limiter).on("ann").grants(5).thenRejectsFor(12, SECONDS);
        assertThat(limiter).on("ben").grants(5).thenRejectsFor(Duration.ofSeconds(12));
        clock.advance(Duration.ofMillis(11_500));
        assertThat(limiter).on("ann").thenRejectsFor(1, SECONDS).thenRejectsFor(500, MILLISECONDS);
        clock.advance(Duration.ofMillis(500));
        assertThat(limiter).on("ann").grants(1).thenRejects().hasRemaining(0);
        assertThat(limiter).on("eve").hasRemaining(5);
    }

    @Test
    void what_fails_names_the_limiter_the_key_and_the_decision() {
        assertThatThrownBy(() -> assertThat(limiter).on("ann").grants(6))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "Expected limiter 'search' on 'ann' to grant 6 permits, but it granted 5 and then rejected for"
                                + " 12 s (0 of 5 remaining)");
        assertThatThrownBy(() -> assertThat(limiter).grants(4).thenRejects())
                .hasMessage("Expected limiter 'search' to reject, but it granted (0 of 5 remaining)");
        assertThatThrownBy(() -> assertThat(limiter).thenRejectsFor(11, SECONDS))
                .hasMessage(
                        "Expected limiter 'search' to reject for 11 s, but it rejected for 12 s (0 of 5 remaining)");
        assertThatThrownBy(() -> assertThat(limiter).thenRejectsFor(13, SECONDS))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(limiter).thenRejectsFor(Duration.ofMillis(12_001)))
                .hasMessageContaining("to reject for 12.001 s, but it rejected for 12 s");
        assertThatThrownBy(() -> assertThat(limiter).on("ben").hasRemaining(4))
                .hasMessage("Expected limiter 'search' on 'ben' to have 4 permits remaining, but it has 5");
        assertThatThrownBy(() -> assertThat(limiter).grants(0)).hasMessage("permits must be at least 1, was 0");
    }

    @Test
    void a_call_that_waits_moves_the_clock_and_returns() {
        Instant start = clock.instant();
        assertThat(limiter).grants(5);
        assertThat(limiter.tryAcquire(MINUTE)).isTrue();
        assertThat(Duration.between(start, clock.instant())).isEqualTo(Duration.ofSeconds(12));
        assertThat(limiter.async().decide(1, MINUTE).join().isGranted()).isTrue();
        Limiter window = limiters.build("window", FixedWindow.of(1, MINUTE));
        assertThat(window).grants(1);
        assertThat(window.tryAcquire(MINUTE)).isTrue();
        assertThat(window).thenRejectsFor(MINUTE);
    }

    @Test
    void windows_follow_the_calendar_of_the_clock() {
        TestClock evening = new TestClock(Instant.parse("2031-05-31T23:00:00Z"));
        try (LimiterFactory daily = new TestLimiterFactory(evening)) {
            Limiter limit = daily.build("daily", FixedWindow.of(1, CalendarPeriod.DAY));
            assertThat(limit).grants(1).thenRejectsFor(Duration.ofHours(1));
            evening.advance(Duration.ofHours(1));
            assertThat(limit).grants(1).thenRejectsFor(Duration.ofDays(1));
        }
    }

    @Test
    void a_reset_forgets_all_keys_of_limiters_that_are_in_use() {
        ConcurrencyLimiter reports = limiters.build("report", ConcurrencyLimit.of(1));
        assertThat(reports.tryAcquire("ann")).isPresent();
        assertThat(limiter).on("ann").grants(5);
        assertThat(limiter).grants(5).thenRejects();
        limiters.reset();
        assertThat(limiter).on("ann").grants(5).thenRejects();
        assertThat(limiter).grants(5).thenRejects();
        assertThat(reports).on("ann").grantsAtMost(1);
    }

    @Test
    void leases_are_counted_and_returned() {
        ConcurrencyLimiter reports = limiters.build("report", ConcurrencyLimit.of(2));
        assertThat(reports).grantsAtMost(2).hasInUse(0);
        try (Lease held = reports.acquire()) {
            assertThat(reports).hasInUse(1).grantsAtMost(1);
            assertThatThrownBy(() -> assertThat(reports).grantsAtMost(2))
                    .hasMessage("Expected limiter 'report' to grant 2 permits at most, but it granted only 1");
            assertThatThrownBy(() -> assertThat(reports).grantsAtMost(0))
                    .hasMessage("Expected limiter 'report' to grant 0 permits at most, but it granted another");
            assertThat(reports).hasInUse(1);
            assertThat(held.isHeld()).isTrue();
        }
        assertThatThrownBy(() -> assertThat(reports).on("ann").hasInUse(1))
                .hasMessage("Expected limiter 'report' on 'ann' to have 1 permits in use, but it has 0");
    }

    @Test
    void time_does_not_go_back() {
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1)))
                .hasMessage("duration must not be negative, was PT-1S");
    }
}
