package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Leases and callers that wait for them while Redis is stopped, and limiters that are built during that time. */
@Tag("threads")
class LeasesInAnOutageTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LEASE_TIME = Duration.ofSeconds(3);

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final RedisProcess redis = resources.redis();
    private final LettuceConnectionFactory connections = resources.lettuce(
            Resources.at(redis.port()),
            Resources.lettuceWaiting(Duration.ofSeconds(2))
                    .clientOptions(ClientOptions.builder()
                            .socketOptions(SocketOptions.builder()
                                    .connectTimeout(Duration.ofSeconds(1))
                                    .build())
                            .build())
                    .build());

    /** Before the connections are closed. */
    @AfterEach
    void goOn() {
        redis.goOn();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"LOCAL,false", "DENY,false", "ALLOW,false", "THROW,false", "LOCAL,true", "THROW,true"})
    void leases_that_cannot_be_renewed_are_lost_and_waiting_callers_end(FailurePolicy.Action policy, boolean underLock)
            throws Exception {
        try (RedisRateLimiterFactory factory = factory(policy, underLock)) {
            ConcurrencyLimiter limiter =
                    factory.build("c", ConcurrencyLimit.of(2).withLeaseTime(LEASE_TIME));
            CountDownLatch lost = new CountDownLatch(2);
            AwaitedDecision.by(Source.BACKEND, limiter::peek);
            List<Lease> held = twoHeldByRedis(factory, limiter);
            held.forEach(lease -> lease.onLost(lost::countDown));
            CompletableFuture<Optional<Lease>> waits = limiter.async().tryAcquire(1, Duration.ofSeconds(20));
            redis.stop();
            CompletableFuture<Optional<Lease>> late = limiter.async().tryAcquire(1, Duration.ofSeconds(20));
            Awaitility.await().atMost(PATIENCE).until(() -> waits.isDone() && late.isDone());
            assertThat(lost.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(held).noneMatch(Lease::isHeld);
            redis.goOn();
            held.forEach(Lease::close);
            close(waits);
            close(late);
            Awaitility.await().atMost(PATIENCE).until(() -> isInRedis(limiter, 2));
            heldByRedis(factory, limiter, 2).close();
        }
    }

    /** Again if the machine was paused for longer than the first one's lease time before Redis granted the second. */
    private static List<Lease> twoHeldByRedis(RedisRateLimiterFactory factory, ConcurrencyLimiter limiter) {
        while (true) {
            Lease one = heldByRedis(factory, limiter, 1);
            Lease other = heldByRedis(factory, limiter, 1);
            if (isInRedis(limiter, 0)) {
                return List.of(one, other);
            }
            one.close();
            other.close();
        }
    }

    /**
     * On a slow machine the policy may decide, even if Redis has granted the same permit too late; its grants are not
     * lost in an outage.
     */
    private static Lease heldByRedis(RedisRateLimiterFactory factory, ConcurrencyLimiter limiter, long permits) {
        LimiterTotals totals = factory.statistics().totals().iterator().next();
        while (true) {
            long before = totals.granted(Source.BACKEND);
            try {
                Lease lease = limiter.acquire(permits, PATIENCE);
                if (totals.granted(Source.BACKEND) > before) {
                    return lease;
                }
                lease.close();
            } catch (LimiterBackendException | RateLimitExceededException e) {
                // The policy's answer to a decision that took too long.
                Thread.onSpinWait();
            }
        }
    }

    private static boolean isInRedis(ConcurrencyLimiter limiter, long remaining) {
        try {
            Decision peek = limiter.peek();
            return peek.source() == Source.BACKEND && peek.remaining() == remaining;
        } catch (LimiterBackendException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"LOCAL,false", "DENY,false", "ALLOW,false", "LOCAL,true", "DENY,true", "ALLOW,true"})
    void in_an_outage_only_leases_of_this_jvm_count_as_in_use(FailurePolicy.Action policy, boolean underLock)
            throws Exception {
        try (RedisRateLimiterFactory factory = factory(policy, underLock)) {
            // Enough permits for those that Redis grants too late on a slow machine: they stay taken for an hour.
            ConcurrencyLimiter limiter =
                    factory.build("c", ConcurrencyLimit.of(1_000).withLeaseTime(Duration.ofHours(1)));
            AwaitedDecision.by(Source.BACKEND, limiter::peek);
            Lease two = heldByRedis(factory, limiter, 2);
            redis.stop();
            Awaitility.await().atMost(PATIENCE).until(() -> limiter.peek().source() != Source.BACKEND);
            assertThat(limiter.inUse()).isEqualTo(2);
            assertThat(limiter.on("other").inUse()).isZero();
            Optional<Lease> here = limiter.tryAcquire();
            // Uncounted leases are not in use.
            assertThat(limiter.inUse()).isEqualTo(policy == FailurePolicy.Action.LOCAL ? 3 : 2);
            here.ifPresent(Lease::close);
            two.close();
            assertThat(limiter.inUse()).isZero();
        }
    }

    private static void close(CompletableFuture<Optional<Lease>> wanted) {
        if (!wanted.isCompletedExceptionally()) {
            wanted.join().ifPresent(Lease::close);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"true,false", "true,true", "false,false", "false,true"})
    void warming_up_without_redis_returns_false_and_limiters_work(boolean stopped, boolean underLock) throws Exception {
        if (stopped) {
            redis.stop();
        } else {
            redis.kill();
        }
        try (RedisRateLimiterFactory factory = factory(FailurePolicy.Action.LOCAL, underLock)) {
            CompletableFuture<Boolean> warm = factory.warmUp();
            var limiter = factory.build("k", FixedWindow.of(100, Duration.ofDays(1)));
            assertThat(limiter.decide("k").source()).isEqualTo(Source.LOCAL);
            assertThat(warm).succeedsWithin(PATIENCE).isEqualTo(false);
            assertThat(limiter.decide("k").source()).isEqualTo(Source.LOCAL);
            if (stopped) {
                redis.goOn();
            } else {
                redis.startAgain();
            }
            AwaitedDecision.by(Source.BACKEND, () -> limiter.decide("k"));
            Awaitility.await().atMost(PATIENCE).until(() -> factory.warmUp().join());
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void a_factory_without_redis_can_be_closed() {
        redis.stop();
        RedisRateLimiterFactory factory = factory(FailurePolicy.Action.LOCAL, false);
        CompletableFuture<Boolean> warm = factory.warmUp();
        factory.close();
        assertThat(warm).succeedsWithin(PATIENCE).isEqualTo(false);
    }

    private RedisRateLimiterFactory factory(FailurePolicy.Action policy, boolean underLock) {
        Setup setup = underLock ? Setup.REDIS_LOCK : Setup.LETTUCE;
        RedisRateLimiterFactory.Builder builder =
                RedisRateLimiterFactory.builder(connections).failurePolicy(FailurePolicy.of(policy));
        return setup.on(builder, connections, RedisFixture::redisson).build();
    }
}
