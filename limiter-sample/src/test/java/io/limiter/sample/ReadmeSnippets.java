package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
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
        RateLimiter hot = limiters.withPrefetch(Duration.ofMillis(100)).build("hot", TokenBucket.perSecond(50_000));
        // end
        assertThat(later.join().granted() && hot.tryAcquire()).isTrue();
        assertThat(soon && mine && decision.granted()).isTrue();
        assertThat(guava.tryAcquire() && warming.tryAcquire() && inTime && logins.tryAcquire())
                .isTrue();
    }

    static void everyKind(LimiterFactory limiters, RateLimiter search) {
        // api: kinds
        ZoneId zone = ZoneId.of("Europe/Berlin");
        Limiter quota = limiters.build(
                "quota", FixedWindow.of(10_000, Duration.ofDays(1)).withZone(zone));
        Limiter strict = limiters.build("strict", SlidingLog.of(100, Duration.ofMinutes(1)));
        Limiter wide = limiters.build("wide", SlidingCounter.of(100_000, Duration.ofHours(1)));
        RateLimiter paced = limiters.build("paced", LeakyBucket.queue(10, 50));

        ConcurrencyLimiter exports =
                limiters.build("exports", ConcurrencyLimit.of(2).withLeaseTime(Duration.ofSeconds(30)));
        try (Lease lease = exports.on("ann").acquire(1, Duration.ofSeconds(5))) {
            lease.onLost(() -> log.warn("another holder may export for ann now"));
        }

        SetDecision both = LimitSet.of(search.on("ann")).and(quota.on("ann"), 3).decide();
        if (!both.granted()) {
            log.info("rejected by {}", both.rejectedBy());
        }

        Reservation turn = paced.reserve();
        turn.cancel();
        search.on("ann").charge(3);
        search.on("ann").refund(1);
        // end
        assertThat(strict.tryAcquire() && wide.tryAcquire() && both.granted()).isTrue();
        assertThat(exports.on("ann").inUse()).isZero();
    }
}
