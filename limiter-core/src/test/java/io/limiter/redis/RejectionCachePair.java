package io.limiter.redis;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.testing.Seed;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;

/**
 * Limiters under two definitions with a rejection cache, and without one on another bucket. No thread sleeps; time passes
 * only between the calls, in Redis and for the cache alike.
 */
final class RejectionCachePair {

    enum Kind {
        OWN_COST,
        GUAVAS_WAY,
        STARTS_EMPTY,
        WARM_UP,
        WINDOW,
        LOG,
        COUNTER;

        boolean isBucket() {
            return ordinal() < WINDOW.ordinal();
        }
    }

    private static final String[] KEYS = {"a", "b", "c"};

    private final RedisFixture redis;
    private final Random random;
    private final Kind kind;
    private final TestClock ticker = new TestClock();
    private final double rate;
    private final Duration maxWait;
    private final Limiter[] plain;
    private final Limiter[] cached;
    private final Limiter[] others;
    private long lastRetryMicros = 1;

    RejectionCachePair(RedisFixture redis, Kind kind, Random random) {
        this(
                redis,
                kind,
                random,
                random.nextBoolean() ? TokenBucket.DEFAULT_MAX_WAIT : Duration.ofMillis(100 + random.nextInt(4000)));
    }

    RejectionCachePair(RedisFixture redis, Kind kind, Random random, Duration maxWait) {
        this.redis = redis;
        this.kind = kind;
        this.random = random;
        this.rate = random.nextBoolean() ? 1 + random.nextInt(40) : 0.5 + random.nextDouble() * 20;
        this.maxWait = maxWait;
        String plainPrefix = redis.prefix() + UUID.randomUUID() + ":";
        String cachedPrefix = redis.prefix() + UUID.randomUUID() + ":";
        long burstSeed = random.nextLong();
        plain = limiters(0, plainPrefix, burstSeed);
        // Three keys and two places, so that some lose theirs.
        cached = limiters(random.nextBoolean() ? 2 : 64, cachedPrefix, burstSeed);
        others = new Limiter[] {
            limiters(0, plainPrefix, burstSeed)[0],
            limiters(0, cachedPrefix, burstSeed)[0],
            limiters(0, plainPrefix, burstSeed)[1],
            limiters(0, cachedPrefix, burstSeed)[1]
        };
    }

    private Limiter[] limiters(int rejectionCacheSize, String prefix, long seed) {
        LimiterFactory limiters = redis.builder()
                .clock(redis.clockLua(), ticker)
                .sleeper(micros -> {})
                .rejectionCacheSize(rejectionCacheSize)
                .build()
                .with(LimiterOptions.NONE.withPrefix(prefix));
        Random numbers = new Random(seed);
        if (!kind.isBucket()) {
            return new Limiter[] {
                limiters.build("k", counting(5 + numbers.nextInt(5), numbers)),
                limiters.build("k", counting(3 + numbers.nextInt(9), numbers))
            };
        }
        double permits = numbers.nextBoolean() ? 1 : 1 + numbers.nextDouble() * 10;
        double otherRate = rate * (0.3 + numbers.nextDouble() * 3);
        return new Limiter[] {
            limiters.build("k", bucket(rate, permits)),
            limiters.build("k", bucket(otherRate, permits * otherRate / rate + 1))
        };
    }

    private Limit counting(int limit, Random numbers) {
        // So long that Redis's own clock expires none.
        Duration period = Duration.ofSeconds(100 + numbers.nextInt(50));
        return switch (kind) {
            case LOG -> SlidingLog.of(limit, period);
            case COUNTER -> SlidingCounter.of(limit, period);
            default -> FixedWindow.of(limit, period);
        };
    }

    private TokenBucket bucket(double permitsPerSecond, double permits) {
        if (kind == Kind.WARM_UP) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withWarmUp(WarmUp.of(Duration.ofMillis((long) (10_000 / rate))))
                    .withMaxWait(maxWait);
        }
        return TokenBucket.of(permitsPerSecond, permits / permitsPerSecond)
                .withWhoWaits(kind == Kind.GUAVAS_WAY ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                .withStartsFull(kind != Kind.STARTS_EMPTY)
                .withMaxWait(maxWait);
    }

    TestClock ticker() {
        return ticker;
    }

    /** Often exactly until the last rejection ends, or one microsecond less. */
    void timePasses() {
        double interval = kind.isBucket() ? 1e6 / rate : 10e6;
        double micros = switch (random.nextInt(20)) {
            case 0, 1 -> random.nextDouble() * interval;
            case 2 -> random.nextBoolean() ? lastRetryMicros : 0;
            case 3, 4 -> lastRetryMicros - 1;
            case 5 -> random.nextInt(3) == 0 ? random.nextDouble() * 3 * interval : 0;
            case 6 -> random.nextInt(4) == 0 ? random.nextDouble() * 15 * interval : 1;
            case 7, 8 -> random.nextDouble() * 0.2 * interval;
            default -> 0;
        };
        redis.clock().sleep((long) micros);
        ticker.sleep((long) micros);
    }

    /** Of the first limiter, in either. */
    void setAnotherRate() {
        if (kind.isBucket()) {
            double newRate = rate * (1 + random.nextInt(5));
            ((RateLimiter) plain[0]).setRate(newRate);
            ((RateLimiter) cached[0]).setRate(newRate);
        }
    }

    Call randomCall() {
        return randomCall(random.nextInt(15) == 0 ? 1 : 0, random.nextInt(8) == 0);
    }

    Call randomCallUnderFirstLimit() {
        return randomCall(0, random.nextInt(8) == 0);
    }

    private Call randomCall(int limiter, boolean peek) {
        long timeoutMicros = switch (random.nextInt(12)) {
            case 0 -> (long) (random.nextDouble() * 3e6 / rate);
            case 1 -> random.nextInt(3) == 0 ? maxWait.toNanos() / 1000 : 0;
            default -> 0;
        };
        long permits = switch (random.nextInt(20)) {
            case 0 -> 1 + random.nextInt(40);
            case 1, 2, 3, 4, 5 -> 1 + random.nextInt(3);
            default -> 1;
        };
        return new Call(
                limiter, KEYS[random.nextInt(KEYS.length)], permits, Duration.ofNanos(timeoutMicros * 1000), peek);
    }

    Decision plain(Call call) {
        Decision decision = call.on(plain[call.limiter]);
        if (!decision.isGranted() && decision.retryAfterMicros() < 2e6 / rate) {
            lastRetryMicros = decision.retryAfterMicros();
        }
        return decision;
    }

    Decision cached(Call call) {
        return call.on(cached[call.limiter]);
    }

    /** By {@code tryAcquire}, which returns only whether it was granted. */
    boolean tryCached(Call call) {
        if (call.peek) {
            return cached(call).isGranted();
        }
        return cached[call.limiter] instanceof RateLimiter limiter
                ? limiter.on(call.key).tryAcquire(call.permits, call.timeout)
                : cached[call.limiter].on(call.key).tryAcquire(call.permits);
    }

    /** As another JVM would, on either bucket. */
    void othersCall(Call call) {
        call.on(others[0]);
        call.on(others[1]);
    }

    void othersCallUnderAnotherLimit() {
        for (String key : KEYS) {
            Call call = new Call(0, key, 1, Duration.ZERO, false);
            call.on(others[2]);
            call.on(others[3]);
        }
    }

    @Override
    public String toString() {
        return Seed.hint() + kind + " " + plain[0].limit() + " and " + plain[1].limit();
    }

    record Call(int limiter, String key, long permits, Duration timeout, boolean peek) {

        Decision on(Limiter limiter) {
            if (peek) {
                return limiter.on(key).peek(permits);
            }
            if (limiter instanceof RateLimiter rateLimiter) {
                return rateLimiter.on(key).decide(permits, timeout);
            }
            return limiter.on(key).decide(permits);
        }
    }
}
