package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.ServerTime;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.DistributedLock;
import io.limiter.step.LimitStep;
import io.limiter.testing.Eventually;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import io.limiter.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.redisson.api.RedissonClient;
import org.redisson.spring.data.connection.RedissonConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A real Redis with a clock that the test moves, and keys of the test's own. After each test it checks what must always
 * hold of them, and removes them.
 */
public final class RedisFixture implements BeforeEachCallback, AfterEachCallback {

    private static final LettuceConnectionFactory CONNECTIONS =
            Resources.ofClass().lettuce(Resources.atShared());
    private static final JedisConnectionFactory JEDIS = Resources.ofClass().jedis(Resources.atShared());
    static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
    private static final RedisCommands<String, byte[]> COMMANDS =
            RedisClient.create(TestRedis.shared().uri()).connect(CODEC).sync();

    /** Scripts contain the key of their clock: with the same one, those of one test are also the next one's. */
    private static final Queue<String> FREE_CLOCKS = new ConcurrentLinkedQueue<>();

    private static final Duration LOCK_WAIT = Duration.ofSeconds(30);
    private static final long NO_TTL = -1;

    /** What decides: both read and write the same states. */
    enum By {
        SCRIPT,
        LOCK
    }

    private String prefix = "";
    private volatile String clockKey = "";
    private TestClock clock = new TestClock();
    private boolean expectsForeignValues;

    @Override
    public void beforeEach(ExtensionContext context) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        prefix = "test-" + id + ":";
        String free = FREE_CLOCKS.poll();
        clockKey = free == null ? "clock-" + id : free;
        clock = new TestClock(this::setClock);
        expectsForeignValues = false;
    }

    private void setClock(long micros) {
        String key = clockKey;
        if (!key.isEmpty()) {
            COMMANDS.set(key, Long.toString(micros).getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        List<String> keys = expectsForeignValues ? keys() : keysWithoutLocks();
        try {
            if (!expectsForeignValues) {
                checkInvariants(keys);
            }
        } finally {
            if (!keys.isEmpty()) {
                COMMANDS.del(keys.toArray(String[]::new));
            }
            String free = clockKey;
            // What still runs must not set the clock of the next test.
            clockKey = "";
            COMMANDS.del(free);
            FREE_CLOCKS.add(free);
        }
    }

    /** Reservations and places among those that wait are given up in the background, under a lock for a moment. */
    private List<String> keysWithoutLocks() {
        AtomicReference<List<String>> found = new AtomicReference<>(List.of());
        Eventually.that(() -> {
            found.set(keys());
            // Behind the last brace, because a caller's key may look like that of a lock.
            assertThat(found.get()).noneMatch(key -> key.matches(".*}[^}]*:lock.*"));
        });
        return found.get();
    }

    public static LettuceConnectionFactory connections() {
        return CONNECTIONS;
    }

    static JedisConnectionFactory jedis() {
        return JEDIS;
    }

    public static RedisCommands<String, byte[]> commands() {
        return COMMANDS;
    }

    /** Name and version of the server. */
    public static String server() {
        String info = COMMANDS.info("server");
        Matcher valkey = Pattern.compile("valkey_version:(\\S+)").matcher(info);
        Matcher redis = Pattern.compile("redis_version:(\\S+)").matcher(info);
        return valkey.find()
                ? "Valkey " + valkey.group(1)
                : redis.find() ? "Redis " + redis.group(1) : "unknown server";
    }

    /**
     * How often each command ran since {@code CONFIG RESETSTAT}, those within scripts included; without those that clients send
     * by themselves from time to time.
     */
    public static Map<String, Long> commandsSent() {
        Pattern line = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+),");
        return line.matcher(COMMANDS.info("commandstats"))
                .results()
                .filter(match ->
                        !match.group(1).startsWith("config") && !match.group(1).equals("ping"))
                .collect(Collectors.toMap(match -> match.group(1), match -> Long.valueOf(match.group(2))));
    }

    /** During that time Redis executes no scripts and no writes, and commands that were sent wait. */
    static <T> T whileItIsBusy(Supplier<T> work) {
        client("PAUSE", "60000", "WRITE");
        try {
            return work.get();
        } finally {
            client("UNPAUSE");
        }
    }

    private static void client(String... words) {
        CommandArgs<String, byte[]> arguments = new CommandArgs<>(CODEC);
        List.of(words).forEach(arguments::add);
        assertThat(COMMANDS.dispatch(CommandType.CLIENT, new StatusOutput<>(CODEC), arguments))
                .isEqualTo("OK");
    }

    /** One for all tests. */
    static RedissonClient redisson() {
        return OfAll.REDISSON;
    }

    public String prefix() {
        return prefix;
    }

    public TestClock clock() {
        return clock;
    }

    /** Lua that reads the clock which the test moves. */
    public String clockLua() {
        return "local now = tonumber(redis.call('GET', '" + clockKey + "'))";
    }

    /** The test puts values there that are not a limiter's. */
    public void expectForeignValues() {
        expectsForeignValues = true;
    }

    /** With timeouts that no slow machine exceeds, and failures that no policy decides. */
    public static RedisRateLimiterFactory.Builder builder(RedisConnectionFactory connections) {
        return RedisRateLimiterFactory.builder(connections)
                .decisionTimeout(Patience.DECISION_TIMEOUT)
                .failurePolicy(FailurePolicy.THROW);
    }

    /** Calls with the same patience. */
    public static RedisCalls calls(RedisConnectionFactory connections) {
        return RedisCalls.of(connections, Patience.guard().deadlines(), EngineObserver.NONE);
    }

    public RedisRateLimiterFactory.Builder builder() {
        return onClock(builder(CONNECTIONS), clockLua(), clock);
    }

    /** @param lua sets {@code now} */
    public static RedisRateLimiterFactory.Builder onClock(
            RedisRateLimiterFactory.Builder builder, String lua, TestClock clock) {
        return builder.clock(lua, clock).sleeper(clock);
    }

    /** @param lua sets {@code now} */
    public static RedisRateLimiterFactory.Builder withTicker(
            RedisRateLimiterFactory.Builder builder, String lua, Ticker ticker) {
        return builder.clock(lua, ticker);
    }

    public static RedisRateLimiterFactory.Builder withSleeper(
            RedisRateLimiterFactory.Builder builder, Sleeper sleeper) {
        return builder.sleeper(sleeper);
    }

    /** With patience for a lock that a stalled machine does not exhaust. */
    RedisRateLimiterFactory.Builder builder(Setup setup) {
        RedisConnectionFactory connections = setup == Setup.JEDIS ? JEDIS : CONNECTIONS;
        return setup.on(onClock(builder(connections), clockLua(), clock), connections, RedisFixture::redisson)
                .lockWait(LOCK_WAIT);
    }

    /** Limiters whose states are decided by script or under a lock. */
    LimiterFactory limiters(By by) {
        return by == By.SCRIPT ? byScript() : underLock();
    }

    public LimiterFactory byScript() {
        return builder().build().with(LimiterOptions.NONE.withPrefix(prefix));
    }

    LimiterFactory withoutRejectionCache() {
        return builder().rejectionCacheSize(0).build().with(LimiterOptions.NONE.withPrefix(prefix));
    }

    LimiterFactory underLock() {
        return underLock(new RedisLock(CONNECTIONS));
    }

    LimiterFactory underLock(DistributedLock lock) {
        return builder().lock(lock).lockWait(LOCK_WAIT).build().with(LimiterOptions.NONE.withPrefix(prefix));
    }

    LimiterFactory underRedissonLock() {
        return underLock(new RedissonLock(redisson()));
    }

    /** By script, over Redisson's connections. */
    LimiterFactory overRedisson() {
        return onClock(builder(new RedissonConnectionFactory(redisson())), clockLua(), clock)
                .build()
                .with(LimiterOptions.NONE.withPrefix(prefix));
    }

    /** Requests of callers that have given up may still take a lock; they do so within a few pauses of the lock. */
    void awaitNoLock() {
        Awaitility.await()
                .atMost(Patience.DECISION_TIMEOUT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .during(Duration.ofMillis(100))
                .until(() -> keys().stream().noneMatch(key -> key.endsWith(KeySpace.LOCK)));
    }

    /** On the clock that the test moves, without a rejection cache. */
    public ScriptBackend scriptBackend() {
        return scriptBackend(clockLua());
    }

    /**
     * @param clock Lua that sets {@code now}
     */
    static ScriptBackend scriptBackend(String clock) {
        return new ScriptBackend(
                calls(CONNECTIONS),
                clock,
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                new KnownRejections(0, Ticker.systemTicker()));
    }

    /** On Redis's own clock. */
    static ScriptBackend scriptBackend(RedisConnectionFactory connections) {
        return new ScriptBackend(
                calls(connections),
                LuaScript.resource(LimitScripts.class, "clock.lua"),
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                new KnownRejections(0, Ticker.systemTicker()));
    }

    LockBackend lockBackend() {
        return lockBackend(new RedisLock(CONNECTIONS), Duration.ofSeconds(5), Ticker.systemTicker());
    }

    LockBackend lockBackend(DistributedLock lock, Duration lockWait, Ticker ticker) {
        return new LockBackend(
                calls(CONNECTIONS),
                lock,
                lockWait,
                Patience.DECISION_TIMEOUT,
                clockLua(),
                ServerTime.ofThisMachine(Ticker.systemTicker()),
                ticker,
                new KnownRejections(0, Ticker.systemTicker()));
    }

    /** The keys that limiters of this test have left in Redis. */
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        ScanIterator.scan(COMMANDS, ScanArgs.Builder.matches("*" + prefix + "*").limit(1000))
                .forEachRemaining(keys::add);
        return keys;
    }

    /** Reads all of them before it waits for a reply, because some tests leave thousands. */
    private static void checkInvariants(List<String> keys) throws Exception {
        RedisAsyncCommands<String, byte[]> async =
                COMMANDS.getStatefulConnection().async();
        List<RedisFuture<byte[]>> values = keys.stream().map(async::get).toList();
        List<RedisFuture<Long>> lifetimes = keys.stream().map(async::pttl).toList();
        for (int i = 0; i < keys.size(); i++) {
            checkInvariants(
                    keys.get(i),
                    values.get(i).get(1, TimeUnit.MINUTES),
                    lifetimes.get(i).get(1, TimeUnit.MINUTES));
        }
    }

    private static void checkInvariants(String key, byte @Nullable [] value, long lifetimeMillis) {
        assertThat(key)
                .as("nothing but states, and calls that must not be repeated, is left behind")
                .matches(".*}(:window|:log|:counter|:holders|:ban|:call:[0-9A-F]{16})?");
        if (value == null) {
            // In real time a key can expire in between.
            return;
        }
        assertThat(lifetimeMillis).as("TTL of %s", key).isNotEqualTo(NO_TTL);
        if (key.contains(":call:")) {
            return;
        }
        // Reading checks the ranges.
        new StateCodec().read(key, value, limitOf(key, value), 0, 1);
    }

    private static LimitStep<?> limitOf(String key, byte[] value) {
        Duration second = Duration.ofSeconds(1);
        if (key.endsWith(":log")) {
            return SlidingLog.of(1, second);
        }
        if (key.endsWith(":holders")) {
            return ConcurrencyLimit.of(1);
        }
        if (key.endsWith(":ban")) {
            return Ban.after(1);
        }
        if (key.endsWith(":counter")) {
            return SlidingCounter.of(1, second);
        }
        boolean window =
                value[0] == 2 || value[0] == 7 || new String(value, StandardCharsets.UTF_8).contains("unitMicros");
        return window ? FixedWindow.of(1, second) : TokenBucket.of(1, 1);
    }

    /** Started for the first test that needs it. */
    private static final class OfAll {
        private static final RedissonClient REDISSON = Resources.newRedisson(Resources.atShared());
    }
}
