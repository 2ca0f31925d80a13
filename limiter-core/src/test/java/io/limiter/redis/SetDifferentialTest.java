package io.limiter.redis;

import static io.limiter.testing.Decisions.decideSetIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.GetExArgs;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random sets of limits in Java and in Lua, side by side: other definitions than those that wrote the state, other encodings, and
 * a clock that steps back. Decisions and stored states are equal to the last bit.
 */
class SetDifferentialTest {

    private static final int CALLS = 12_000;
    private static final int KEYS = 9;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Random random = Seed.random();
    private final StateCodec codec = new StateCodec();
    private final Map<String, Object> states = new HashMap<>();
    private final List<TokenBucket> buckets = List.of(
            TokenBucket.of(10, 10),
            TokenBucket.of(1.0 / 3, 31.4),
            TokenBucket.of(1e6, 0.001),
            TokenBucket.of(7, 2).withWhoWaits(WhoWaits.NEXT_CALLER),
            TokenBucket.of(0.7, 9).withStartsFull(false).withMaxWait(Duration.ofSeconds(20)),
            TokenBucket.perSecond(50).withWarmUp(new WarmUp(Duration.ofSeconds(3))));
    private final List<SlidingLog> logs = List.of(
            SlidingLog.of(3, Duration.ofSeconds(1)),
            SlidingLog.of(50, Duration.ofSeconds(60)),
            SlidingLog.of(400, Duration.ofMinutes(10)));
    private final List<SlidingCounter> counters = List.of(
            SlidingCounter.of(3, Duration.ofSeconds(1)),
            SlidingCounter.of(50, Duration.ofSeconds(60)),
            SlidingCounter.of(400, Duration.ofMinutes(10)));
    private final List<FixedWindow> windows = List.of(
            FixedWindow.of(3, Duration.ofSeconds(1)),
            FixedWindow.of(50, Duration.ofSeconds(60)),
            FixedWindow.of(400, Duration.ofMinutes(10)));

    @Test
    void java_and_lua_decide_sets_alike() {
        Backend engine = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        int granted = 0;
        for (int call = 0; call < CALLS; call++) {
            moveClock();
            leaveAnotherSpelling();
            List<KeyRequests<?>> parts = randomSet();
            String where = "call " + call + " at " + redis.clock().micros();
            Map<String, Object> before = new HashMap<>(states);
            Supplier<String> what = () -> where + ", " + parts + " on " + before + Seed.hint();
            List<Decision> expected = stepTogether(parts);
            assertThat(decideSetIn(engine, parts)).as(what).isEqualTo(expected);
            for (KeyRequests<?> part : parts) {
                assertThat(stored(part)).as(what).isEqualTo(states.get(part.key()));
            }
            granted += expected.stream().allMatch(Decision::granted) ? 1 : 0;
        }
        assertThat(granted).as("some of each").isBetween(CALLS / 10, CALLS * 9 / 10);
    }

    private List<Decision> stepTogether(List<KeyRequests<?>> parts) {
        boolean all = parts.stream()
                .allMatch(part -> step(part, Request.Action.TAKE).decision().granted());
        List<Decision> decisions = new ArrayList<>();
        for (KeyRequests<?> part : parts) {
            Step<?> taken = step(part, Request.Action.TAKE);
            if (all || !taken.decision().granted()) {
                states.put(part.key(), taken.state());
                decisions.add(taken.decision());
            } else {
                decisions.add(step(part, Request.Action.PEEK).decision());
            }
        }
        return decisions;
    }

    private <S> Step<S> step(KeyRequests<S> part, Request.Action action) {
        @Nullable S state = part.limit().stateType().cast(states.get(part.key()));
        return part.limit().step(state, redis.clock().micros(), part.request().as(action));
    }

    /** Stalls, goes on, and now and then steps back. */
    private void moveClock() {
        double micros = switch (random.nextInt(20)) {
            case 0 -> -random.nextDouble() * (random.nextBoolean() ? 1e6 : 3600e6);
            case 1 -> random.nextDouble() * 600e6;
            case 2, 3, 4, 5, 6, 7 -> 0;
            default -> random.nextDouble() * 2e6;
        };
        redis.clock().set(redis.clock().micros() + (long) micros);
    }

    private List<KeyRequests<?>> randomSet() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(key(i));
        }
        Collections.shuffle(keys, random);
        int permits = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(2);
        List<KeyRequests<?>> parts = new ArrayList<>();
        for (String key : keys.subList(0, 1 + random.nextInt(5))) {
            long timeout = switch (random.nextInt(4)) {
                case 0 -> (long) (random.nextDouble() * 5e6);
                case 1 -> random.nextInt(5) == 0 ? Long.MAX_VALUE : 0;
                default -> 0;
            };
            parts.add(KeyRequests.of(key, limitFor(key), Request.take(permits, timeout)));
        }
        return parts;
    }

    /** Mostly the same definition, sometimes another one than wrote the state. */
    private Limit<?> limitFor(String key) {
        List<? extends Limit<?>> limits = switch (key.charAt(key.indexOf('{') + 1)) {
            case 'w' -> windows;
            case 'l' -> logs;
            case 'c' -> counters;
            default -> buckets;
        };
        int usual = Math.floorMod(key.hashCode(), limits.size());
        return limits.get(random.nextInt(10) == 0 ? random.nextInt(limits.size()) : usual);
    }

    /** As the lock engine or an {@code INCR} would. */
    private void leaveAnotherSpelling() {
        String key = key(random.nextInt(KEYS));
        Object state = states.get(key);
        if (state == null || random.nextInt(3) > 0) {
            return;
        }
        if (state instanceof FixedWindow.State && random.nextInt(4) == 0) {
            RedisFixture.commands().del(key);
            states.remove(key);
            return;
        }
        RedisFixture.commands().set(key, codec.write(state));
        RedisFixture.commands().expire(key, 3600);
    }

    private String key(int number) {
        char kind = "wlcbb".charAt(number % 5);
        String suffix = kind == 'l' ? ":log" : kind == 'c' ? ":counter" : "";
        return redis.prefix() + "{" + kind + number + "}" + suffix;
    }

    /** What Redis holds, kept from expiring while simulated time goes its own way. */
    private <S> @Nullable S stored(KeyRequests<S> part) {
        byte[] value = RedisFixture.commands().getex(part.key(), GetExArgs.Builder.ex(3600));
        return value == null ? null : codec.read(part.key(), value, part.limit(), 0, 1);
    }

    @Test
    void a_plain_counter_is_a_window_that_ends_with_its_ttl() {
        Backend engine = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        KeyRequests<?> window = KeyRequests.of(key(0), FixedWindow.of(5, Duration.ofSeconds(60)), Request.take(2, 0));
        KeyRequests<?> bucket = KeyRequests.of(key(3), TokenBucket.of(1, 3), Request.take(2, 0));
        RedisFixture.commands().set(key(0), "3".getBytes(StandardCharsets.US_ASCII));
        assertThat(decideSetIn(engine, List.of(window, bucket))).allMatch(Decision::granted);
        assertThat(stored(window))
                .isEqualTo(new FixedWindow.State(5, (redis.clock().micros() + 60_000_000) / 1000.0));
        RedisFixture.commands().set(key(0), "4".getBytes(StandardCharsets.US_ASCII));
        assertThat(decideSetIn(engine, List.of(bucket, window))).noneMatch(Decision::granted);
        assertThat(RedisFixture.commands().pttl(key(0)))
                .as("one without a TTL gets one")
                .isPositive();
    }
}
