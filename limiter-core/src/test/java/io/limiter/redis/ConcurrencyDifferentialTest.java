package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Patience;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holders in Java and in Lua, side by side through the same random steps, in batches of several keys and with a clock that
 * goes where it likes: decisions and states are the same to the last bit, in both encodings.
 */
class ConcurrencyDifferentialTest {

    private static final int CALLS = 6_000;
    private static final int CALLS_WITH_LOCK = 800;
    private static final int KEYS = 4;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Random random = Seed.random();
    private final StateCodec codec = new StateCodec();
    private final Map<String, ConcurrencyLimit.State> states = new HashMap<>();

    @Test
    void java_and_lua_decide_alike() {
        Backend script = script();
        run(CALLS, () -> script);
    }

    @Test
    void script_and_lock_engine_share_one_state() {
        Backend script = script();
        Backend lock = lock();
        run(CALLS_WITH_LOCK, () -> random.nextBoolean() ? script : lock);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "5",
                "{}",
                "{\"holders\":null}",
                "{\"holders\":[1]}",
                "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":1}]}",
                "{\"holders\":[{\"id\":0,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":1}]}",
                "{\"holders\":[{\"id\":1,\"permits\":0,\"expiresMicros\":1,\"leaseMicros\":1}]}",
                "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":-1,\"leaseMicros\":1}]}",
                "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":0}]}",
                "{\"holders\":[{\"id\":9007199254740992,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":1}]}",
                "\tshort",
                "\tAAAAAAAABBBBCCCCCCCCDDDDDDDD"
            })
    void a_foreign_value_is_an_error_that_names_the_key_and_stays_unchanged(String value) {
        redis.expectForeignValues();
        String key = redis.prefix() + "{k}:holders";
        for (Backend engine : List.of(script(), lock())) {
            RedisFixture.commands().set(key, value.getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> decideIn(engine, key, ConcurrencyLimit.of(1), Request.hold(1, 1)))
                    .as("%s by %s", value, engine)
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining(key)
                    .hasMessageContaining("delete the key, or use another name");
            assertThat(RedisFixture.commands().get(key)).isEqualTo(value.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void holders_in_json_are_read_with_fields_of_a_later_version() {
        String key = redis.prefix() + "{k}:holders";
        String json = "{\"later\":[1],\"holders\":[{\"id\":9007199254740991,\"permits\":2,\"expiresMicros\":"
                + (redis.clock().micros() + 1) + ",\"leaseMicros\":30000000,\"later\":null}]}";
        for (Backend engine : List.of(script(), lock())) {
            RedisFixture.commands().set(key, json.getBytes(StandardCharsets.UTF_8));
            ConcurrencyLimit limit = ConcurrencyLimit.of(2);
            assertThat(decideIn(engine, key, limit, Request.hold(1, 1))).isEqualTo(new Decision(false, 2, 0, 1, 1, 1));
            assertThat(decideIn(engine, key, limit, Request.renew(Request.MAX_ID))
                            .granted())
                    .isTrue();
        }
    }

    @Test
    void a_duplicate_id_counts_twice_and_is_released_once_at_a_time() {
        String key = redis.prefix() + "{k}:holders";
        ConcurrencyLimit.Holder holder =
                new ConcurrencyLimit.Holder(1, 1, redis.clock().micros() + 1000, 1000);
        ConcurrencyLimit limit = ConcurrencyLimit.of(3);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.addAll(List.of(Request.release(1), Request.renew(1), Request.hold(2 + i, 1)));
        }
        states.put(key, new ConcurrencyLimit.State(List.of(holder, holder)));
        RedisFixture.commands().set(key, codec.write(states.get(key)));
        KeyRequests<?> asked = new KeyRequests<>(key, limit, requests);
        List<Decision> expected = stepAll(asked);
        assertThat(decideIn(script(), List.of(asked)).get(0).decisions()).isEqualTo(expected);
        assertThat(stored(key)).isEqualTo(states.get(key));
    }

    private void run(int calls, Supplier<Backend> engines) {
        for (int call = 0; call < calls; call++) {
            moveClock();
            List<KeyRequests<?>> batch = randomBatch();
            String where = "call " + call;
            Map<String, ConcurrencyLimit.State> before = new HashMap<>(states);
            Supplier<String> what = () -> where + ", " + batch + ", of " + before + "; " + Seed.hint();
            List<List<Decision>> expected = new ArrayList<>();
            for (KeyRequests<?> asked : batch) {
                expected.add(stepAll(asked));
            }
            assertThat(decideIn(engines.get(), batch))
                    .as(what)
                    .extracting(Answer::decisions)
                    .isEqualTo(expected);
            for (KeyRequests<?> asked : batch) {
                assertThat(stored(asked.key())).as(what).isEqualTo(states.get(asked.key()));
            }
        }
    }

    private List<Decision> stepAll(KeyRequests<?> asked) {
        ConcurrencyLimit limit = (ConcurrencyLimit) asked.limit();
        List<Decision> decisions = new ArrayList<>();
        for (Request request : asked.requests()) {
            Step<ConcurrencyLimit.State> step =
                    limit.step(states.get(asked.key()), redis.clock().micros(), request);
            states.put(asked.key(), step.state());
            decisions.add(step.decision());
        }
        return decisions;
    }

    private List<KeyRequests<?>> randomBatch() {
        List<KeyRequests<?>> batch = new ArrayList<>();
        int first = random.nextInt(KEYS);
        int keys = 1 + random.nextInt(KEYS);
        for (int i = 0; i < keys; i++) {
            String key = redis.prefix() + "{" + (first + i) % KEYS + "}:holders";
            // Keys with the same limit and the same requests share a section.
            ConcurrencyLimit limit = ConcurrencyLimit.of(random.nextInt(5) > 0 ? 5 : 1 + random.nextInt(40))
                    .withLeaseTime(Duration.ofMillis(random.nextInt(5) > 0 ? 30_000 : 100 + random.nextInt(100_000)));
            boolean asBefore = !batch.isEmpty() && random.nextInt(3) == 0;
            List<Request> requests = asBefore ? batch.get(batch.size() - 1).requests() : randomRequests(key);
            batch.add(new KeyRequests<>(key, limit, requests));
        }
        return batch;
    }

    private List<Request> randomRequests(String key) {
        List<Request> requests = new ArrayList<>();
        do {
            Request request = switch (random.nextInt(8)) {
                case 0 -> Request.renew(id(key));
                case 1, 2 -> Request.release(id(key));
                case 3 -> Request.peek(1 + random.nextInt(6), 0);
                default -> Request.hold(id(key), random.nextInt(4) == 0 ? 1 + random.nextInt(7) : 1);
            };
            int times = random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1;
            requests.addAll(Collections.nCopies(times, request));
        } while (random.nextInt(3) > 0);
        return requests;
    }

    /** Often one that is there. */
    private long id(String key) {
        ConcurrencyLimit.State holders = states.get(key);
        if (holders != null && !holders.holders().isEmpty() && random.nextBoolean()) {
            List<ConcurrencyLimit.Holder> there = holders.holders();
            return there.get(random.nextInt(there.size())).id();
        }
        return random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1 + random.nextLong(Request.MAX_ID);
    }

    /** Stalls, goes on, jumps ahead, and steps back. */
    private void moveClock() {
        double micros = switch (random.nextInt(8)) {
            case 0, 1 -> 0;
            case 2 -> 1;
            case 3, 4, 5 -> random.nextDouble() * 10e6;
            case 6 -> random.nextDouble() * 100e6;
            default -> -random.nextDouble() * (random.nextBoolean() ? 10e6 : 86_400e6);
        };
        redis.clock().set(redis.clock().micros() + (long) micros);
    }

    /** The stored value, which must not expire while time is simulated; sometimes in the other encoding. */
    private ConcurrencyLimit.@Nullable State stored(String key) {
        byte[] value = RedisFixture.commands().get(key);
        if (value == null) {
            return null;
        }
        ConcurrencyLimit.State stored = codec.read(key, value, ConcurrencyLimit.of(1), 0, 1);
        if (random.nextInt(10) == 0) {
            RedisFixture.commands().set(key, codec.write(stored));
        }
        RedisFixture.commands().expire(key, 3600);
        return stored;
    }

    private Backend script() {
        return new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
    }

    private Backend lock() {
        return new LockBackend(
                RedisFixture.calls(RedisFixture.connections()),
                new RedisLock(RedisFixture.connections()),
                Duration.ofSeconds(5),
                Patience.DECISION_TIMEOUT,
                redis.clockLua(),
                Ticker.systemTicker(),
                new KnownRejections(0));
    }
}
