package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A closed factory decides nothing, with every engine, nor does the failure policy. */
class FactoryCloseTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @ParameterizedTest
    @EnumSource
    void every_call_after_close_fails_as_closed(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        RateLimiter limiter = factory.withPrefix(redis.prefix()).build("k", 1, 10, 60);
        Limiter unused = factory.withPrefix(redis.prefix()).build("c", FixedWindow.of(1, Duration.ofSeconds(1)));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.async().decide(1).join().granted()).isTrue();
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
                        "{k:who}"));
        failsAsClosed(factory.withPrefix(redis.prefix()).build("new", 1, 1, 60)::tryAcquire, "{new}");
        failsAsClosed(LimitSet.of(limiter, unused)::tryAcquire, "{k}");
        assertThatThrownBy(() -> LimitSet.of(limiter, unused).async().decide(1).join())
                .hasCauseInstanceOf(LimiterBackendException.class);
    }

    @ParameterizedTest
    @EnumSource
    void an_unused_factory_can_be_closed(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        factory.close();
        failsAsClosed(factory.withPrefix(redis.prefix()).build("k", 1, 1, 60)::tryAcquire, "{k}");
    }

    @Test
    void a_closed_local_factory_fails_too() {
        LocalLimiterFactory factory = new LocalLimiterFactory();
        RateLimiter limiter = factory.build("k", 1, 10, 60);
        assertThat(limiter.tryAcquire()).isTrue();
        factory.close();
        failsAsClosed(limiter::tryAcquire, "{k}");
        failsAsClosed(limiter::peek, "{k}");
        failsAsClosed(() -> LimitSet.of(limiter.on("a"), limiter.on("b")).tryAcquire(), "{k:a}");
        assertThatThrownBy(() -> limiter.on("who").async().decide(1).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .satisfies(cause -> failsAsClosed(
                        () -> {
                            throw cause;
                        },
                        "{k:who}"));
    }

    @ParameterizedTest
    @EnumSource
    void another_factory_still_decides_over_the_same_connections(Setup setup) {
        RedisRateLimiterFactory factory = build(setup);
        RateLimiter closed = factory.withPrefix(redis.prefix()).build("k", 1, 2, 60);
        assertThat(closed.tryAcquire()).isTrue();
        factory.close();
        RateLimiter other = build(setup).withPrefix(redis.prefix()).build("k", 1, 2, 60);
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
