package io.limiter.redis;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.TokenBucketScript;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.own.Cooldown;
import io.limiter.redis.own.CooldownScript;
import io.limiter.spi.LimitScript;
import io.limiter.testing.BrokenLimit;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A custom limit, as in docs/own-limit.md. */
class OwnLimitTest {

    private static final Cooldown COOLDOWN = new Cooldown(Duration.ofSeconds(10));

    @RegisterExtension
    private final RedisFixture redis = new RedisFixture();

    @Test
    void its_script_decides_in_redis() {
        cooldownWorks(redis.byScript());
    }

    @Test
    void the_lock_engine_needs_no_script() {
        redis.expectForeignValues();
        cooldownWorks(redis.underLock());
    }

    @Test
    void the_local_engine_needs_no_script() {
        assertThat(new LocalLimiterFactory().build("k", COOLDOWN).tryAcquire()).isTrue();
    }

    private void cooldownWorks(LimiterFactory limiters) {
        redis.expectForeignValues();
        Limiter limiter = limiters.build("k", COOLDOWN);
        assertThat(limiter.tryAcquire("who")).isTrue();
        assertThat(limiter.decide("who")).isEqualTo(decision(false, 1, 0, 10_000_000, 10_000_000, 10_000_000));
        assertThat(limiter.tryAcquire()).isTrue();
        redis.clock().advance(Duration.ofSeconds(10));
        assertThat(limiter.tryAcquire("who")).isTrue();
        limiter.on("who").refund(1);
        assertThat(limiter.tryAcquire("who")).isTrue();
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> limiter.tryAcquireUpTo(2))
                .withMessage(
                        "'k' takes all permits or none, because its Cooldown does: let its step decide requests that take"
                                + " fewer, and say so by takesFewer()");
        long before = redis.clock().micros();
        assertThat(limiter.on("who").tryAcquire(Duration.ofSeconds(9))).isFalse();
        assertThat(limiter.on("who").tryAcquire(Duration.ofSeconds(10))).isTrue();
        assertThat(redis.clock().micros() - before).as("waited").isEqualTo(10_000_000);
        assertThat(redis.keys())
                .containsExactlyInAnyOrder(redis.prefix() + "{k}:cooldown", redis.prefix() + "{who}{k}:cooldown");
    }

    @Test
    void a_limit_without_a_script_is_rejected_when_it_is_built() {
        LimiterFactory factory = redis.byScript();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.build("k", new BrokenLimit()))
                .withMessageContaining("there is no script for " + BrokenLimit.class.getName())
                .withMessageContaining("[TokenBucket, FixedWindow")
                .withMessageContaining("Cooldown]");
        assertThat(factory.build("k", TokenBucket.perSecond(1)).tryAcquire())
                .as("the name is free")
                .isTrue();
    }

    @Test
    void a_kind_of_limit_has_one_script() {
        List<LimitScript<?, ?>> twice = List.of(new TokenBucketScript(), new CooldownScript(), new CooldownScript());
        assertThatThrownBy(() -> LimitScripts.checked(twice))
                .isInstanceOf(ServiceConfigurationError.class)
                .hasMessageContaining("would never be used")
                .hasMessageContaining(Cooldown.class.getName());
        assertThatThrownBy(() -> LimitScripts.checked(Collections.nCopies(257, new CooldownScript())))
                .isInstanceOf(ServiceConfigurationError.class)
                .hasMessageContaining("at most 256 kinds of limits can have a script, were 257");
    }

    @Test
    void a_limit_that_throws_is_not_reported_as_a_failure_of_redis() {
        Limiter limiter = redis.underLock().build("k", new BrokenLimit());
        assertThatThrownBy(limiter::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(
                        "the limit BrokenLimit[decides=false] failed: java.lang.ArithmeticException: / by zero")
                .hasMessageNotContaining("Redis failed")
                .hasRootCauseInstanceOf(ArithmeticException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_limit_that_throws_fails_alike_on_every_engine(boolean decides) {
        for (LimiterFactory limiters : List.of(
                new LocalLimiterFactory(),
                redis.underLock(),
                redis.underLock(new RedissonLock(RedisFixture.redisson())))) {
            Limiter limiter = limiters.build("k", new BrokenLimit(decides));
            Limiter other = limiters.build("other", FixedWindow.of(10, Duration.ofHours(1)));
            fails(limiter::tryAcquire);
            fails(() -> limiter.decide("who"));
            assertThatThrownBy(() -> limiter.on("who").async().decide(1).join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .satisfies(cause -> fails(() -> {
                        throw cause;
                    }));
            fails(() -> LimitSet.of(other.on("a"), limiter.on("b")).tryAcquire());
            assertThat(other.on("a").peek(1).remaining())
                    .as("nothing was taken, or it went back")
                    .isEqualTo(10);
        }
    }

    private static void fails(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(LimiterBackendException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(LimiterBackendException.Kind.PERMANENT);
                    assertThat(failure.problem()).isEqualTo("limit");
                })
                .hasMessageContaining("the limit BrokenLimit[decides=")
                .hasMessageContaining("java.lang.ArithmeticException: / by zero");
    }
}
