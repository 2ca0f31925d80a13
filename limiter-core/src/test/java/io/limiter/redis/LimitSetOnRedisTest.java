package io.limiter.redis;

import static io.limiter.testing.Decisions.decideSetIn;
import static io.limiter.testing.Decisions.startSetsIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.SetScripts;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Concurrently;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limit sets on Redis. */
class LimitSetOnRedisTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_set_is_one_round_trip_granted_or_rejected() {
        LimitSet set = mixed(redis.withoutRejectionCache());
        set.tryAcquire();
        RedisFixture.commands().configResetstat();
        assertThat(set.tryAcquire()).isTrue();
        assertThat(set.async().decide(1).join().isGranted()).isTrue();
        assertThat(RedisFixture.commandsSent())
                .containsEntry("evalsha", 2L)
                .containsEntry("mget", 2L)
                .doesNotContainKey("eval");
        RedisFixture.commands().configResetstat();
        assertThat(set.decide(9).isGranted()).isFalse();
        assertThat(RedisFixture.commandsSent())
                .containsEntry("evalsha", 1L)
                .containsEntry("mget", 1L)
                .doesNotContainKeys("set", "setrange", "eval");
    }

    @Test
    void a_rejected_set_writes_nothing() {
        LimiterFactory limiters = redis.byScript();
        Limiter full = limiters.build("full", FixedWindow.of(1, Duration.ofSeconds(10)));
        Limiter unused = limiters.build("unused", FixedWindow.of(1, Duration.ofSeconds(10)));
        RateLimiter never = limiters.build("never", 1, 9, 60);
        full.tryAcquire();
        assertThat(LimitSet.of(unused, full, never).tryAcquire()).isFalse();
        assertThat(redis.keys()).containsExactly(redis.prefix() + "{full}:window");
    }

    @Test
    void a_cached_rejection_rejects_the_set_without_a_call() {
        LimiterFactory limiters = redis.byScript();
        Limiter window = limiters.build("w", FixedWindow.of(1, Duration.ofSeconds(10)));
        RateLimiter bucket = limiters.build("b", 1, 9, 60);
        LimitSet set = LimitSet.of(bucket, window);
        assertThat(set.tryAcquire()).isTrue();
        SetDecision decided = set.decide(1);
        assertThat(decided.parts()).hasSize(2);
        RedisFixture.commands().configResetstat();
        SetDecision known = set.decide(1);
        assertThat(known.rejectedBy()).contains("w");
        SetDecision.OfPart rejected = decided.parts().get(1);
        assertThat(known.parts())
                .containsExactly(SetDecision.OfPart.of(
                        rejected.limiter(), rejected.decision().withSource(Decision.Source.REJECTION_CACHE)));
        assertThat(set.async().decide(1).join()).isEqualTo(known);
        assertThat(window.tryAcquire()).as("so is the limit by itself").isFalse();
        assertThat(RedisFixture.commandsSent()).doesNotContainKeys("evalsha", "eval");
        redis.clock().advance(Duration.ofSeconds(10));
        assertThat(set.tryAcquire()).isTrue();
    }

    @Test
    void a_granted_set_removes_a_cached_rejection() {
        LimiterFactory limiters = redis.byScript();
        Limiter window = limiters.build("w", FixedWindow.of(3, Duration.ofSeconds(10)));
        RateLimiter bucket = limiters.build("b", 1, 9, 60);
        assertThat(window.tryAcquire(2)).isTrue();
        assertThat(window.decide(2).remaining()).isEqualTo(1);
        assertThat(LimitSet.of(window, bucket).tryAcquire()).isTrue();
        assertThat(window.decide(2).remaining()).isZero();
    }

    @Test
    void an_unreadable_value_fails_the_set_and_takes_nothing() {
        redis.expectForeignValues();
        LimiterFactory limiters = redis.byScript();
        Limiter good = limiters.build("good", FixedWindow.of(1, Duration.ofSeconds(10)));
        RateLimiter bad = limiters.build("bad", 1, 9, 60);
        RateLimiter list = limiters.build("list", 1, 9, 60);
        RedisFixture.commands().set(redis.prefix() + "{bad}", "nonsense".getBytes(StandardCharsets.UTF_8));
        RedisFixture.commands().lpush(redis.prefix() + "{list}", new byte[1]);
        assertThatThrownBy(LimitSet.of(good, bad)::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("{bad}")
                .hasMessageContaining("not this kind of limit's state");
        assertThatThrownBy(LimitSet.of(good, list)::tryAcquire)
                .isInstanceOf(LimiterBackendException.class)
                .hasMessageContaining("{list}")
                .hasMessageContaining("WRONGTYPE");
        CompletableFuture<SetDecision> async = LimitSet.of(bad, good).async().decide(1);
        assertThatThrownBy(async::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LimiterBackendException.class);
        assertThat(good.peek().remaining()).isEqualTo(1);
        assertThat(RedisFixture.commands().exists(redis.prefix() + "{good}:window"))
                .isZero();
    }

    /** One that cannot be read, one of another type, and one that needs the time of the reply, and is decided in a second call. */
    @Test
    void a_problem_of_one_set_leaves_the_others_of_its_call() {
        redis.expectForeignValues();
        Backend script = redis.scriptBackend();
        FixedWindow day = FixedWindow.of(10, Duration.ofDays(1));
        String good = redis.prefix() + "{good}:window";
        String bad = redis.prefix() + "{bad}:window";
        String list = redis.prefix() + "{list}:window";
        RedisFixture.commands().set(bad, "nonsense".getBytes(StandardCharsets.UTF_8));
        RedisFixture.commands().lpush(list, new byte[1]);
        KeyRequests<?> one = KeyRequests.of(good, day, Request.take(1, 0));
        KeyRequests<?> other = KeyRequests.of(redis.prefix() + "{other}:window", day, Request.take(1, 0));
        KeyRequests<?> ofZone = KeyRequests.of(
                redis.prefix() + "{zone}:window",
                FixedWindow.of(10, CalendarPeriod.DAY.in(ZoneId.of("Europe/Berlin"))),
                Request.take(1, 0));
        assertThat(decideSetIn(script, List.of(one, other))).allMatch(Verdict::isGranted);
        // The call is made with the day of the time before.
        redis.clock().advance(Duration.ofDays(3000));
        RedisFixture.commands().configResetstat();
        List<CompletableFuture<List<Verdict>>> decided = startSetsIn(
                script,
                List.of(
                        List.of(one, other),
                        List.of(one, KeyRequests.of(bad, day, Request.take(1, 0))),
                        List.of(other, one),
                        List.of(one, ofZone),
                        List.of(KeyRequests.of(list, day, Request.take(1, 0)), one),
                        List.of(other, one)));
        assertThat(List.of(0, 2, 5))
                .extracting(set -> decided.get(set).join().get(set == 0 ? 0 : 1).remaining())
                .containsExactly(9L, 8L, 7L);
        assertThat(decided.get(3).join()).extracting(Verdict::remaining).containsExactly(6L, 9L);
        assertThatThrownBy(decided.get(1)::join)
                .hasMessageContaining("{bad}")
                .hasMessageContaining("not this kind of limit's state");
        assertThatThrownBy(decided.get(4)::join).hasMessageContaining("{list}").hasMessageContaining("WRONGTYPE");
        assertThat(RedisFixture.commandsSent()).containsEntry("evalsha", 2L);
    }

    @Test
    void one_script_decides_all_kinds_of_limits() {
        BitSet all = new BitSet();
        all.set(0, LimitScripts.all().size());
        LuaScript script = new SetScripts(redis.clockLua()).build(all);
        assertThat(RedisFixture.commands().scriptLoad(script.source())).isEqualTo(script.sha1());
        assertThat(new String(script.source(), StandardCharsets.UTF_8)).doesNotContain("--[");
    }

    @Test
    void the_script_of_a_set_contains_only_its_kinds() {
        SetScripts scripts = new SetScripts(redis.clockLua());
        BitSet bucket = new BitSet();
        bucket.set(LimitScripts.kindOf(TokenBucket.of(1, 1)));
        BitSet window = new BitSet();
        window.set(LimitScripts.kindOf(FixedWindow.of(1, Duration.ofSeconds(1))));
        BitSet both = new BitSet();
        both.or(bucket);
        both.or(window);
        LuaScript ofBoth = scripts.of(both);
        assertThat(scripts.of(BitSet.valueOf(both.toLongArray()))).isSameAs(ofBoth);
        assertThat(scripts.of(bucket).source().length).isLessThan(ofBoth.source().length);
        assertThat(scripts.of(bucket).sha1()).isNotEqualTo(scripts.of(window).sha1());
    }

    @Test
    void a_set_that_redis_cannot_save_is_not_granted() {
        LimiterFactory limiters = redis.byScript();
        Limiter window = limiters.build("w", FixedWindow.of(5, Duration.ofSeconds(10)));
        RateLimiter bucket = limiters.build("b", 1, 5, 60);
        LimitSet set = LimitSet.of(window, bucket);
        assertThat(set.tryAcquire()).isTrue();
        RedisFixture.commands().configSet("maxmemory", "1");
        try {
            assertThatThrownBy(set::tryAcquire)
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining("{b}")
                    .hasMessageContaining("OOM");
        } finally {
            RedisFixture.commands().configSet("maxmemory", "0");
        }
        assertThat(window.peek().remaining()).isEqualTo(4);
        assertThat(bucket.peek().remaining()).isEqualTo(4);
    }

    @Test
    void a_prefetching_limit_is_decided_in_redis() {
        LimiterFactory limiters = redis.byScript();
        RateLimiter prefetching = limiters.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofSeconds(1))))
                .build("prefetching", TokenBucket.of(1000, 1));
        LimitSet set = LimitSet.of(prefetching, limiters.build("w", FixedWindow.of(500, Duration.ofDays(1))));
        for (int i = 0; i < 50; i++) {
            assertThat(set.tryAcquire()).isTrue();
        }
        assertThat(prefetching.peek().remaining()).isEqualTo(950);
    }

    @Test
    void threads_with_overlapping_sets_take_all_permits() {
        LimiterFactory limiters = redis.byScript();
        Limiter a = limiters.build("a", FixedWindow.of(60, Duration.ofDays(1)));
        RateLimiter b = limiters.build("b", 0.001, 90_000, 60);
        Limiter c = limiters.build("c", FixedWindow.of(60, Duration.ofDays(1)));
        AtomicInteger ab = new AtomicInteger();
        AtomicInteger cb = new AtomicInteger();
        AtomicInteger thread = new AtomicInteger();
        Concurrently.run(8, () -> {
            boolean even = thread.getAndIncrement() % 2 == 0;
            LimitSet set = even ? LimitSet.of(a, b) : LimitSet.of(b, c);
            for (int i = 0; i < 40; i++) {
                (even ? ab : cb).addAndGet(set.tryAcquire() ? 1 : 0);
            }
        });
        assertThat(ab.get() + cb.get())
                .as("no set is rejected for a moment only")
                .isEqualTo(90);
        assertThat(a.peek().remaining()).isEqualTo(60 - ab.get());
        assertThat(b.peek().remaining()).isZero();
        assertThat(c.peek().remaining()).isEqualTo(60 - cb.get());
    }

    private static LimitSet mixed(LimiterFactory limiters) {
        return LimitSet.of(
                limiters.build("b", 1, 9, 60),
                limiters.build("w", FixedWindow.of(5, Duration.ofSeconds(10))),
                limiters.build("b", 1, 9, 60).on("key"));
    }
}
