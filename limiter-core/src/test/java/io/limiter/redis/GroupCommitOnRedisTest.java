package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Calls with many requests, on a real Redis that is kept busy so that requests are queued. */
@Tag("threads")
class GroupCommitOnRedisTest {

    private static final int THREADS = 8;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @ParameterizedTest(name = "sets: {0}")
    @ValueSource(booleans = {false, true})
    void what_is_queued_while_redis_is_busy_shares_calls_and_keeps_its_order(boolean sets) {
        String client = "group-commit-" + UUID.randomUUID();
        LettuceConnectionFactory connections = resources.lettuce(
                Resources.atShared(),
                LettuceClientConfiguration.builder().clientName(client).build());
        LimiterFactory limiters = RedisFixture.builder(connections)
                .clock(redis.clockLua(), redis.clock())
                .rejectionCacheSize(0)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        RateLimiter limiter = limiters.build("k", 1, 900, 60);
        limiter.peek();
        LimitSet set = LimitSet.of(limiter, limiters.build("w", FixedWindow.of(1000, Duration.ofHours(1))));
        Supplier<CompletableFuture<Decision>> decide = sets
                ? () -> set.async()
                        .decide(1)
                        .thenApply(decision -> decision.parts().get(0).decision())
                : () -> limiter.async().decide(1);
        RedisFixture.commands().configResetstat();
        List<CompletableFuture<Decision>> decisions = RedisFixture.whileItIsBusy(() -> {
            List<CompletableFuture<Decision>> started = new ArrayList<>();
            started.add(decide.get());
            awaitClient(client, "flags=\\w*b\\w* ");
            for (int i = 1; i < 1000; i++) {
                started.add(decide.get());
            }
            // This thread has started a second call, which a thread of the client writes. Had the first reply arrived
            // before, that thread would write a third call ahead of it.
            awaitClient(client, "qbuf=[1-9]");
            return started;
        });
        for (int i = 0; i < 1000; i++) {
            assertThat(decisions.get(i).join().remaining()).as("request %d", i).isEqualTo(Math.max(0, 899 - i));
        }
        assertThat(RedisFixture.commandsSent().get("evalsha")).isLessThan(10);
    }

    /**
     * Waits until Redis shows this of a client: that it is blocked, so its first call has arrived, or that it has sent bytes after that,
     * which are another call's. The client sends the calls of one limiter only: a renewed lease would look like a call.
     */
    private static void awaitClient(String name, String shows) {
        Eventually.that(() -> assertThat(RedisFixture.commands().clientList().lines())
                .filteredOn(line -> line.contains(" name=" + name + " "))
                .anySatisfy(line -> assertThat(line).containsPattern(" " + shows)));
    }

    @Test
    void a_failing_key_fails_only_its_own_requests() {
        redis.expectForeignValues();
        LimiterFactory limiters = limiters(0);
        RateLimiter limiter = limiters.build("k", 1, 10, 60);
        limiter.peek();
        RedisFixture.commands().lpush(redis.prefix() + "{list}{k}", new byte[] {1});
        RedisFixture.commands().set(redis.prefix() + "{text}{k}", "text".getBytes(StandardCharsets.UTF_8));
        List<CompletableFuture<Decision>> decisions = RedisFixture.whileItIsBusy(() -> {
            List<CompletableFuture<Decision>> started = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                started.add(limiter.on(List.of("list", "text", "good").get(i % 3))
                        .async()
                        .decide(1));
            }
            return started;
        });
        for (int i = 0; i < 30; i++) {
            if (i % 3 == 2) {
                assertThat(decisions.get(i).join().remaining()).isEqualTo(9 - i / 3);
            } else {
                assertThatThrownBy(decisions.get(i)::join)
                        .cause()
                        .isInstanceOf(LimiterBackendException.class)
                        .hasMessageContaining(i % 3 == 0 ? "{list}{k}" : "{text}{k}")
                        .hasMessageContaining(i % 3 == 0 ? "WRONGTYPE" : "not this kind of limit's state");
            }
        }
    }

    @Test
    void a_batch_of_the_maximum_size_is_one_call() {
        RateLimiter limiter = limiters(0).build("k", 1, 1, 60);
        limiter.peek();
        List<CompletableFuture<Decision>> decisions = RedisFixture.whileItIsBusy(() -> {
            List<CompletableFuture<Decision>> started = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                started.add(limiter.on("key" + i % 2500).async().decide(1));
            }
            return started;
        });
        for (int i = 0; i < 5000; i++) {
            assertThat(decisions.get(i).join().isGranted()).isEqualTo(i < 2500);
        }
    }

    @Test
    void a_rejected_call_fails_every_request_with_its_key_and_the_next_call_succeeds() {
        RateLimiter limiter = limiters(0).build("k", 1, 5, 60);
        assertThat(limiter.tryAcquire("a")).isTrue();
        RedisFixture.commands().configSet("maxmemory", "1");
        try {
            for (String key : List.of("a", "b")) {
                assertThatThrownBy(() -> limiter.tryAcquire(key))
                        .isInstanceOf(LimiterBackendException.class)
                        .hasMessageContaining("{" + key + "}{k}")
                        .hasMessageContaining("OOM");
            }
        } finally {
            RedisFixture.commands().configSet("maxmemory", "0");
        }
        assertThat(limiter.on("a").tryAcquire(4)).isTrue();
        assertThat(limiter.on("b").tryAcquire(5)).isTrue();
    }

    @ParameterizedTest(name = "rejection cache of {0}")
    @ValueSource(ints = {0, 1, 1024})
    void under_load_exactly_the_limit_is_granted(int rejectionCacheSize) {
        LimiterFactory limiters = limiters(rejectionCacheSize);
        RateLimiter bucket = limiters.build("bucket", 1, 1500, 60);
        Limiter window = limiters.build("window", FixedWindow.of(1500, Duration.ofHours(1)));
        AtomicLong[] granted = Stream.generate(AtomicLong::new).limit(6).toArray(AtomicLong[]::new);
        AtomicInteger thread = new AtomicInteger();
        Concurrently.run(
                THREADS, () -> load(bucket, window, granted, new Random(Seed.VALUE + thread.getAndIncrement())));
        for (int key = 0; key < 3; key++) {
            while (bucket.tryAcquire("key" + key)) {
                granted[key].incrementAndGet();
            }
            while (window.tryAcquire("key" + key)) {
                granted[3 + key].incrementAndGet();
            }
        }
        assertThat(granted)
                .as(Seed.hint())
                .allSatisfy(permits -> assertThat(permits).hasValue(1500));
    }

    private static void load(RateLimiter bucket, Limiter window, AtomicLong[] granted, Random random) {
        List<CompletableFuture<Void>> counted = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            int key = random.nextInt(3);
            int kind = random.nextInt(2);
            long permits = 1 + random.nextInt(6);
            if (random.nextInt(4) == 0) {
                boolean acquired = kind == 0
                        ? bucket.on("key" + key).tryAcquire(permits)
                        : window.on("key" + key).tryAcquire(permits);
                granted[3 * kind + key].addAndGet(acquired ? permits : 0);
            } else {
                CompletableFuture<Decision> decision = kind == 0
                        ? bucket.on("key" + key).async().decide(permits)
                        : window.on("key" + key).async().decide(permits);
                counted.add(decision.thenAccept(
                        answer -> granted[3 * kind + key].addAndGet(answer.isGranted() ? permits : 0)));
            }
        }
        CompletableFuture.allOf(counted.toArray(CompletableFuture[]::new)).join();
    }

    private LimiterFactory limiters(int rejectionCacheSize) {
        return redis.builder()
                .rejectionCacheSize(rejectionCacheSize)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
    }
}
