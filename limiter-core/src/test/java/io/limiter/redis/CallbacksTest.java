package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.Sneaky;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever an application's callbacks throw, with every engine: no decision, no permit and no other callback is lost. */
class CallbacksTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final int CALLERS = 20;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final AtomicInteger thrown = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void listeners_and_observers_that_throw_change_no_decision(Setup setup) {
        changeNoDecision(redis.builder(setup)
                .listener(throwing(LimiterListener.class))
                .listener(throwing(EngineObserver.class))
                .listener(new ThrowsAsItWaits())
                .build());
    }

    @Test
    void listeners_and_observers_that_throw_change_no_local_decision() {
        changeNoDecision(LocalLimiterFactory.builder()
                .listener(throwing(LimiterListener.class))
                .listener(throwing(EngineObserver.class))
                .listener(new ThrowsAsItWaits())
                .build());
    }

    private void changeNoDecision(LimiterFactory factory) {
        try {
            LimiterFactory limiters = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()));
            RateLimiter limiter = limiters.build("k", TokenBucket.of(0.01, CALLERS / 2 / 0.01));
            assertThat(limiter.tryAcquire(CALLERS / 2)).isTrue();
            assertThat(limiter.tryAcquire()).isFalse();
            assertThat(limiter.tryAcquire()).as("from the rejection cache").isFalse();
            assertThat(LimitSet.of(limiter.on("a"), limiter.on("b")).tryAcquire())
                    .isTrue();
            assertThat(LimitSet.of(limiter.on("a"), limiter).tryAcquire()).isFalse();
            assertThat(limiters.build("waits", TokenBucket.perSecond(100).withCapacity(1))
                            .acquire(2))
                    .isEqualTo(Duration.ofMillis(10));

            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                decisions.add(limiter.on("batch" + i % 2).async().decide(1));
            }
            assertThat(decisions)
                    .allSatisfy(each -> assertThat(each).succeedsWithin(1, TimeUnit.MINUTES))
                    .filteredOn(each -> !each.join().isGranted())
                    .hasSize(0);
            assertThat(limiter.on("batch0").async().decide(1).join().isGranted())
                    .isFalse();
            assertThat(limiter.on("batch1").async().decide(1).join().isGranted())
                    .isFalse();

            ConcurrencyLimiter one =
                    limiters.build("one", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(30)));
            Lease first = one.tryAcquire().orElseThrow();
            CompletableFuture<Lease> second = one.async().acquire(1, DAY);
            first.close();
            assertThat(second).succeedsWithin(1, TimeUnit.MINUTES);
            assertThat(factory.statistics().totals()).hasSize(3);
        } finally {
            factory.close();
        }
        assertThat(thrown).hasPositiveValue();
    }

    @ParameterizedTest
    @EnumSource
    void a_factory_releases_all_leases_when_it_is_closed_though_holders_throw(Setup setup) {
        loseAllLeases(redis.builder(setup).build());
        try (LimiterFactory other = redis.builder(setup).build()) {
            assertThat(three(other).inUse()).isZero();
        }
    }

    @Test
    void a_local_factory_loses_all_leases_when_it_is_closed_though_holders_throw() {
        loseAllLeases(new LocalLimiterFactory());
    }

    private void loseAllLeases(LimiterFactory factory) {
        AtomicInteger lost = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            Lease lease = three(factory).tryAcquire().orElseThrow();
            lease.onLost(() -> {
                lost.incrementAndGet();
                throw Sneaky.thrown(new IOException("checked"));
            });
        }
        factory.close();
        assertThat(lost).hasValue(3);
    }

    private ConcurrencyLimiter three(LimiterFactory factory) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("k", ConcurrencyLimit.of(3).withLeaseTime(Duration.ofHours(1)));
    }

    /** Every method throws, also those that are added later: a runtime exception and an error in turn. */
    private <T> T throwing(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("toString")) {
                        return "throwing";
                    }
                    if (thrown.incrementAndGet() % 2 == 0) {
                        throw new StackOverflowError("in " + method.getName());
                    }
                    throw new IllegalStateException("in " + method.getName());
                }));
    }

    /** Throws, and not only when it is called first. */
    private static final class ThrowsAsItWaits implements EngineObserver {

        private final AtomicInteger waits = new AtomicInteger();

        @Override
        public MayWait mayWait() {
            if (waits.incrementAndGet() % 2 == 0) {
                return limiter -> {
                    throw Sneaky.thrown(new IOException("begins"));
                };
            }
            return limiter -> () -> {
                throw Sneaky.thrown(new IOException("ends"));
            };
        }
    }
}
