package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.time.Sleeper;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A closed factory decides nothing, with every engine, nor does the failure policy. */
class FactoryCloseTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final TokenBucket HOURLY = TokenBucket.of(1.0 / 3600, 3600).withMaxWait(HOUR.multipliedBy(10));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @ParameterizedTest
    @EnumSource
    void every_call_after_close_fails_as_closed(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        RateLimiter limiter =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 10, 60);
        Limiter unused = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("c", FixedWindow.of(1, Duration.ofSeconds(1)));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.async().decide(1).join().isGranted()).isTrue();
        factory.close();
        factory.close();
        failsAsClosed(limiter::tryAcquire, "{k}");
        failsAsClosed(limiter::peek, "{k}");
        failsAsClosed(unused::tryAcquire, "{c}");
        assertThatThrownBy(() -> limiter.on("who").async().decide(1).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .satisfies(cause -> failsAsClosed(
                        () -> {
                            throw cause;
                        },
                        "{who}{k}"));
        failsAsClosed(
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("new", 1, 1, 60)::tryAcquire,
                "{new}");
        failsAsClosed(LimitSet.of(limiter, unused)::tryAcquire, "{k}");
        assertThatThrownBy(() -> LimitSet.of(limiter, unused).async().decide(1).join())
                .hasCauseInstanceOf(LimiterBackendException.class);
    }

    @ParameterizedTest
    @EnumSource
    void an_unused_factory_can_be_closed(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        factory.close();
        failsAsClosed(
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 1, 60)::tryAcquire, "{k}");
    }

    @Test
    void a_closed_local_factory_fails_too() {
        LocalLimiterFactory factory = new LocalLimiterFactory();
        RateLimiter limiter = factory.build("k", 1, 10, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        factory.close();
        failsAsClosed(limiter::tryAcquire, "{k}");
        failsAsClosed(limiter::peek, "{k}");
        failsAsClosed(() -> LimitSet.of(limiter.on("a"), limiter.on("b")).tryAcquire(), "{a}{k}");
        assertThatThrownBy(() -> limiter.on("who").async().decide(1).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .satisfies(cause -> failsAsClosed(
                        () -> {
                            throw cause;
                        },
                        "{who}{k}"));
    }

    @ParameterizedTest
    @EnumSource
    void callers_that_wait_fail_as_closed_and_what_they_booked_is_returned(Setup setup) throws Exception {
        // Time stands still in Redis, and sleeping takes its time.
        RedisRateLimiterFactory factory = RedisFixture.withSleeper(redis.builder(setup), Sleeper.UNINTERRUPTIBLE)
                .build();
        LimiterFactory prefixed = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        LimiterFactory other = build(setup).with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        RateLimiter bucket = prefixed.build("b", HOURLY);
        Limiter window = prefixed.build("w", FixedWindow.of(1, HOUR));
        ConcurrencyLimiter leases = prefixed.build("l", ConcurrencyLimit.of(1));
        RateLimiter ofSet = prefixed.build("s", HOURLY);
        List<CompletableFuture<?>> waiting = waiting(bucket, window, leases, ofSet);
        for (String name : List.of("b", "s")) {
            Eventually.that(() -> {
                Reservation probe = other.build(name, HOURLY).reserve(1, HOUR.multipliedBy(9));
                assertThat(probe.cancel()).isTrue();
                assertThat(probe.timeToWait()).as("behind two").isGreaterThan(HOUR.multipliedBy(2));
            });
        }
        factory.close();
        failAsClosed(waiting);
        assertThat(other.build("b", HOURLY).reserve(1, HOUR.multipliedBy(9)).timeToWait())
                .isBetween(HOUR.minusMinutes(1), HOUR);
        assertThat(other.build("s", HOURLY).reserve(1, HOUR.multipliedBy(9)).timeToWait())
                .isBetween(HOUR.minusMinutes(1), HOUR);
        assertThat(other.build("l", ConcurrencyLimit.of(1)).inUse()).isZero();
    }

    @Test
    void callers_that_wait_for_a_closed_local_factory_fail_too() throws Exception {
        LocalLimiterFactory factory = new LocalLimiterFactory();
        List<CompletableFuture<?>> waiting = waiting(
                factory.build("b", HOURLY),
                factory.build("w", FixedWindow.of(1, HOUR)),
                factory.build("l", ConcurrencyLimit.of(1)),
                factory.build("s", HOURLY));
        factory.close();
        failAsClosed(waiting);
    }

    /** Callers of every kind, all of which wait. */
    private static List<CompletableFuture<?>> waiting(
            RateLimiter bucket, Limiter window, ConcurrencyLimiter leases, RateLimiter ofSet) {
        assertThat(bucket.tryAcquire()).isTrue();
        assertThat(window.tryAcquire()).isTrue();
        assertThat(leases.tryAcquire()).isPresent();
        assertThat(ofSet.tryAcquire()).isTrue();
        Duration most = HOUR.multipliedBy(9);
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Runnable call : List.<Runnable>of(
                () -> bucket.tryAcquire(most),
                () -> window.tryAcquire(most),
                () -> leases.acquire(most),
                () -> LimitSet.of(ofSet).decide(1, most))) {
            CompletableFuture<Void> called = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    call.run();
                    called.complete(null);
                } catch (RuntimeException e) {
                    called.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
            waiting.add(called);
        }
        Eventually.that(() -> assertThat(threads)
                .allMatch(thread ->
                        thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING));
        waiting.add(bucket.async().acquire());
        waiting.add(window.async().tryAcquire(most));
        waiting.add(leases.async().acquire(most));
        waiting.add(LimitSet.of(ofSet).async().decide(1, most));
        return waiting;
    }

    private static void failAsClosed(List<CompletableFuture<?>> waiting) {
        for (CompletableFuture<?> each : waiting) {
            assertThat(each)
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .withCauseInstanceOf(LimiterBackendException.class)
                    .withMessageContaining("the limiters were closed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void another_factory_still_decides_over_the_same_connections(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        RateLimiter closed =
                factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build("k", 1, 2, 60);
        assertThat(closed.tryAcquire()).isTrue();
        factory.close();
        RateLimiter other = build(setup)
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("k", 1, 2, 60);
        assertThat(other.tryAcquire()).isTrue();
        assertThat(other.tryAcquire()).isFalse();
    }

    private RedisRateLimiterFactory build(Setup setup) {
        return redis.builder(setup).failurePolicy(FailurePolicy.ALLOW).build();
    }

    private static void failsAsClosed(ThrowingCallable call, String key) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        LimiterBackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(LimiterBackendException.Kind.CLOSED))
                .hasMessageContaining(key)
                .hasMessageContaining("the limiters were closed");
    }
}
