package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Java of docs/reference/api.md, between markers; {@code ReadmeTest} compares and runs it. */
class ReadmeSnippets {

    private static final Logger log = LoggerFactory.getLogger(ReadmeSnippets.class);

    static void everyLimiter(LimiterFactory limiters) {
        // api: limiters
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(50).withCapacity(100));
        search.acquire();
        boolean soon = search.tryAcquire(5, Duration.ofMillis(200));
        boolean mine = search.tryAcquire("user:ann");
        Decision decision = search.on("user:ann").peek();

        RateLimiter guava = limiters.build("import", TokenBucket.guava(5));
        RateLimiter warming = limiters.build("cache", TokenBucket.guava(100, Duration.ofMinutes(1)));

        RateLimiter reports = limiters.build(
                "reports",
                TokenBucket.per(6, Duration.ofMinutes(1))
                        .withCapacity(6)
                        .withMaxWait(Duration.ofMinutes(10))
                        .withExpire(Duration.ofHours(1)));
        boolean inTime = reports.tryAcquire(Duration.ofSeconds(5));

        Limiter logins = limiters.build("logins", FixedWindow.of(5, Duration.ofMinutes(15)));

        CompletableFuture<Decision> later = search.on("user:ann").async().decide(1, Duration.ofSeconds(1));

        LimiterOptions prefetching = LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofMillis(100)));
        RateLimiter hot = limiters.with(prefetching).build("hot", TokenBucket.perSecond(50_000));
        // end
        assertThat(later.join().isGranted() && hot.tryAcquire()).isTrue();
        assertThat(soon && mine && decision.isGranted()).isTrue();
        assertThat(guava.tryAcquire() && warming.tryAcquire() && inTime && logins.tryAcquire())
                .isTrue();
    }

    /** @param limiters with the properties that the page shows */
    static void named(LimiterFactory limiters) {
        // settings: named
        RateLimiter quotes = limiters.rateLimiter("quotes");
        Limiter orders = limiters.limiter("orders");
        ConcurrencyLimiter exports = limiters.concurrencyLimiter("exports");
        // end
        assertThat(quotes.limit()).isEqualTo(TokenBucket.perSecond(50));
        assertThat(orders.limit()).isEqualTo(FixedWindow.of(1000, Duration.ofDays(1)));
        assertThat(exports.limit()).isEqualTo(ConcurrencyLimit.of(2));
    }

    static void everyKind(LimiterFactory limiters, RateLimiter search) {
        // api: kinds
        ZoneId zone = ZoneId.of("Europe/Berlin");
        Limiter quota = limiters.build("quota", FixedWindow.of(10_000, CalendarPeriod.MONTH.in(zone)));
        Limiter strict = limiters.build("strict", SlidingLog.of(100, Duration.ofMinutes(1)));
        Limiter wide = limiters.build("wide", SlidingCounter.of(100_000, Duration.ofHours(1)));
        RateLimiter paced = limiters.build("paced", LeakyBucket.queue(10, 50));

        ConcurrencyLimiter exports =
                limiters.build("exports", ConcurrencyLimit.of(2).withLeaseTime(Duration.ofSeconds(30)));
        try (Lease lease = exports.on("ann").acquire(1, Duration.ofSeconds(5))) {
            lease.onLost(() -> log.warn("another holder may export for ann now"));
        }

        SetDecision both = LimitSet.of(search.on("ann")).and(quota.on("ann"), 3).decide();
        if (!both.isGranted()) {
            log.info("rejected by {}", both.rejectedBy());
        }

        Reservation turn = paced.reserve(1, Duration.ofSeconds(5));
        turn.cancel();
        search.on("ann").charge(3);
        search.on("ann").refund(1);
        // end
        assertThat(strict.tryAcquire() && wide.tryAcquire() && both.isGranted()).isTrue();
        assertThat(exports.on("ann").inUse()).isZero();
    }
}
