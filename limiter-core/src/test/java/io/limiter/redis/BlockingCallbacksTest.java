package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.MuteProxy;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On which threads callers' code runs, and what it can hold up. */
@Tag("threads")
class BlockingCallbacksTest {

    private static final int MOST_SECONDS = 60;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callbacks_that_block_stall_no_other_factory(boolean inRedis) throws Exception {
        CountDownLatch blocked = new CountDownLatch(BlockingCalls.MAX_THREADS);
        CountDownLatch released = new CountDownLatch(1);
        try (LimiterFactory stalled = factory(inRedis);
                LimiterFactory other = factory(inRedis)) {
            RateLimiter limiter = limiter(stalled, "stalled");
            for (int i = 0; i < 2 * BlockingCalls.MAX_THREADS; i++) {
                acquired(limiter).thenRun(() -> {
                    blocked.countDown();
                    Uninterruptibles.awaitUninterruptibly(released);
                });
            }
            blocked.await();
            assertThat(acquired(limiter(other, "other"))).succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS);
        } finally {
            released.countDown();
        }
    }

    @Test
    void blocking_calls_that_fail_wait_for_no_callback() throws Exception {
        CountDownLatch blocked = new CountDownLatch(BlockingCalls.MAX_THREADS);
        CountDownLatch released = new CountDownLatch(1);
        MuteProxy proxy = resources.proxyTo(TestRedis.shared().port());
        try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(
                        resources.lettuce(Resources.at(proxy.port())))
                .decisionTimeout(Duration.ofSeconds(1))
                .failurePolicy(FailurePolicy.DENY)
                .build()) {
            factory.warmUp().join();
            LimiterFactory limiters = factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()));
            RateLimiter limiter = limiter(factory, "stalled");
            ConcurrencyLimiter concurrency = limiters.build("held", ConcurrencyLimit.of(8));
            Lease lease = concurrency.acquire();
            limiter.decide();
            proxy.replies(MuteProxy.Replies.SWALLOWED);
            for (int i = 0; i < 2 * BlockingCalls.MAX_THREADS; i++) {
                limiter.async().decide().thenRun(() -> {
                    blocked.countDown();
                    Uninterruptibles.awaitUninterruptibly(released);
                });
            }
            List<CompletableFuture<Void>> waiting = Stream.<Runnable>of(
                            lease::close,
                            concurrency::tryAcquire,
                            () -> assertFailsHere(limiter::reset),
                            () -> assertFailsHere(concurrency::reset))
                    .map(action -> CompletableFuture.runAsync(action, task -> new Thread(task).start()))
                    .toList();
            blocked.await();
            assertThat(waiting).allSatisfy(each -> assertThat(each).succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS));
        } finally {
            released.countDown();
        }
    }

    /** With the stack trace of the caller, and not of a thread of the limiter. */
    private static void assertFailsHere(ThrowingCallable call) {
        assertThatExceptionOfType(LimiterBackendException.class)
                .isThrownBy(call)
                .satisfies(failure -> assertThat(failure.getStackTrace())
                        .extracting(StackTraceElement::getClassName)
                        .contains(BlockingCallbacksTest.class.getName()));
    }

    private LimiterFactory factory(boolean inRedis) {
        return inRedis ? RedisFixture.builder(RedisFixture.connections()).build() : new LocalLimiterFactory();
    }

    private RateLimiter limiter(LimiterFactory factory, String name) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix())).build(name, 1000, 0.001, 3600);
    }

    /** After a wait of some milliseconds, because the factory completes it then. */
    private static CompletableFuture<?> acquired(RateLimiter limiter) {
        return limiter.async().acquire(5);
    }

    @Test
    void what_depends_on_an_overdue_call_does_not_run_on_the_thread_that_checks_deadlines() {
        MuteProxy proxy = resources.proxyTo(TestRedis.shared().port());
        Guard guard = resources.closing(Guard.silent(Duration.ofMillis(50)));
        RedisCalls calls =
                RedisCalls.of(resources.lettuce(Resources.at(proxy.port())), guard.deadlines(), EngineObserver.NONE);
        resources.closing(calls::close);
        calls.connect();
        proxy.replies(MuteProxy.Replies.SWALLOWED);
        CompletableFuture<String> thread = new CompletableFuture<>();
        calls.send(
                LuaScript.of("return {1}"),
                new byte[][] {{'k'}},
                new byte[0][],
                (reply, error) -> thread.complete(Thread.currentThread().getName()));
        assertThat(thread)
                .succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS)
                .asString()
                .startsWith("limiter-blocking-");
    }
}
