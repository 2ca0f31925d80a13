package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.spi.DistributedLock;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.StepHook;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class LockBackendTest {

    private static final TokenBucket TEN = TokenBucket.of(1, 10);
    private static final Request ONE = Request.take(1, 0);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    private final RedisLock lock = new RedisLock(RedisFixture.connections());

    @Test
    void one_uncontended_decision_is_four_commands() {
        RateLimiter limiter = redis.underLock(lock).build("k", TEN);
        limiter.tryAcquire();
        RedisFixture.commands().configResetstat();
        limiter.tryAcquire();
        Map<String, Long> sent = RedisFixture.commandsSent();
        // Lock, load, save and unlock; and the commands of these scripts, with the GET of the movable clock.
        assertThat(sent).containsEntry("evalsha", 4L).containsEntry("set", 2L);
    }

    @Test
    void rejections_and_peeks_write_nothing() {
        RateLimiter limiter = redis.underLock(lock).build("k", TEN);
        assertThat(limiter.tryAcquire(10)).isTrue();
        RedisFixture.commands().configResetstat();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.peek().isGranted()).isFalse();
        // Load and unlock, no save; the peek only loads. The lock is the only value set.
        assertThat(RedisFixture.commandsSent()).containsEntry("evalsha", 4L).containsEntry("set", 1L);
    }

    /** The lease is longer than this test waits, and Redis acquires the lock after the caller has left. */
    @Test
    void a_lock_that_is_acquired_too_late_is_released() {
        RedisProcess process = resources.redis();
        LettuceConnectionFactory connections = resources.lettuce(Resources.at(process.port()));
        RateLimiter limiter = resources
                .closing(RedisFixture.builder(connections)
                        .lock(new RedisLock(connections, Duration.ofMinutes(10)))
                        .decisionTimeout(Duration.ofMillis(200))
                        .failurePolicy(FailurePolicy.LOCAL)
                        .build())
                .build("k", TEN);
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
        process.stop();
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.decide(1).source()).isEqualTo(Source.LOCAL);
        }
        process.goOn();
        Eventually.that(() -> assertThat(limiter.decide(1).source()).isEqualTo(Source.BACKEND));
    }

    @Test
    void a_holder_that_lost_its_lock_does_not_overwrite_later_decisions() {
        String key = redis.prefix() + "{k}";
        LockBackend others = engine(lock, Duration.ofSeconds(1));
        AtomicInteger attempts = new AtomicInteger();
        // Another JVM takes seven permits between this one's load and save, as if the lock had expired in between.
        DistributedLock lost = (lockKey, wait) -> {
            attempts.incrementAndGet();
            return () -> {};
        };
        StepHook<?> hook = new StepHook<>(TEN, () -> decideIn(others, key, TEN, Request.take(7, 0)), 1);
        LockBackend engine = engine(lost, Duration.ofSeconds(1));
        Verdict decision = decideIn(engine, key, hook, Request.take(4, 0));
        assertThat(attempts).as("it started over").hasValue(2);
        assertThat(decision.isGranted()).as("three were left").isFalse();
        assertThat(decideIn(others, key, TEN, Request.peek(3, 0)).isGranted()).isTrue();
    }

    @Test
    void a_state_that_changes_before_every_save_ends_with_an_error() {
        String key = redis.prefix() + "{k}";
        LockBackend others = engine(lock, Duration.ofSeconds(1));
        TokenBucket many = TokenBucket.of(1, 1_000_000);
        StepHook<?> hook = new StepHook<>(many, () -> decideIn(others, key, many, ONE), Integer.MAX_VALUE);
        LockBackend engine = engine((lockKey, wait) -> () -> {}, Duration.ofMillis(50));
        assertThatThrownBy(() -> decideIn(engine, key, hook, ONE))
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("changed it faster");
    }

    @Test
    void a_lock_that_cannot_be_acquired_is_an_error_after_the_wait() {
        String key = redis.prefix() + "{k}";
        DistributedLock.Held held = lock.tryLock(key + ":lock", Duration.ZERO);
        try {
            LockBackend engine = engine(lock, Duration.ofMillis(20));
            assertThatThrownBy(() -> decideIn(engine, key, TEN, ONE))
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining(key)
                    .hasMessageContaining("lock could not be acquired within PT0.02S");
        } finally {
            held.close();
        }
    }

    @Test
    void a_lock_without_an_answer_leaves_nothing_executed() {
        LockBackend engine = engine(
                (key, wait) -> {
                    throw new QueryTimeoutException("no answer in time");
                },
                Duration.ofSeconds(1));
        assertThatThrownBy(() -> decideIn(engine, redis.prefix() + "{k}", TEN, ONE))
                .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                    assertThat(e.isAmbiguous()).isFalse();
                    assertThat(e.kind()).as("the circuit breaker counts it").isEqualTo(Kind.RETRYABLE);
                    assertThat(e.problem()).isEqualTo("timeout");
                });
    }

    @Test
    void waiting_for_the_lock_counts_against_the_timeout() {
        String key = redis.prefix() + "{k}";
        AtomicInteger reads = new AtomicInteger();
        // Each reading of the ticker is 0.4 s after the one before; the lock is acquired at the third.
        LockBackend engine = redis.lockBackend(lock, Duration.ZERO, new Ticker() {
            @Override
            public long read() {
                return reads.getAndIncrement() * 400_000_000L;
            }
        });
        decideIn(engine, key, TEN, Request.take(10, 0));
        reads.set(0);
        assertThat(decideIn(engine, key, TEN, Request.take(1, 1_799_999)).isGranted())
                .isFalse();
        reads.set(0);
        assertThat(decideIn(engine, key, TEN, Request.take(1, 1_800_000)).isGranted())
                .isTrue();
    }

    @Test
    void waiting_for_the_lock_leaves_a_prefetch_its_time() {
        TestClock waited = new TestClock();
        DistributedLock slow = (lockKey, wait) -> {
            waited.advance(Duration.ofMillis(20));
            return () -> {};
        };
        TokenBucket limit = TokenBucket.perSecond(10_000).withCapacity(1_000);
        Request prefetch = Request.prefetch(10, 10_000, 200);
        String byLock = redis.prefix() + "{lock}";
        String byScript = redis.prefix() + "{script}";
        Verdict decision = decideIn(redis.lockBackend(slow, Duration.ZERO, waited), byLock, limit, prefetch);
        assertThat(decision).isEqualTo(decideIn(redis.scriptBackend(), byScript, limit, prefetch));
        assertThat(decision.isGranted()).isTrue();
        assertThat(state(byLock, limit)).isEqualTo(state(byScript, limit));
    }

    private Object state(String key, TokenBucket limit) {
        return new StateCodec()
                .read(
                        key,
                        RedisFixture.commands().get(key),
                        limit,
                        redis.clock().micros(),
                        1);
    }

    @Test
    void script_and_lock_engine_read_each_others_states() {
        LimiterFactory byLock = redis.underLock(lock);
        LimiterFactory byScript = redis.byScript();
        assertThat(byLock.build("k", TEN).tryAcquire(4)).isTrue();
        assertThat(RedisFixture.commands().get(redis.keys().get(0))[0]).isEqualTo((byte) '{');
        assertThat(byScript.build("k", TEN).tryAcquire(4)).isTrue();
        assertThat(RedisFixture.commands().get(redis.keys().get(0))[0]).isEqualTo((byte) 1);
        assertThat(byLock.build("k", TEN).tryAcquire(3)).isFalse();
        assertThat(byLock.build("k", TEN).tryAcquire(2)).isTrue();
        assertThat(byScript.build("k", TEN).tryAcquire()).isFalse();
    }

    private LockBackend engine(DistributedLock someLock, Duration lockWait) {
        return redis.lockBackend(someLock, lockWait, Ticker.systemTicker());
    }
}
