package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.Request;
import io.limiter.testing.Steps;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Leases of several keys, which are acquired, renewed and released in batches, in both encodings. */
class ConcurrencyDifferentialTest extends DifferentialContract {

    private static final int KEYS = 4;
    private static final ConcurrencyLimit ANY = ConcurrencyLimit.of(1);

    @Test
    void java_and_lua_decide_alike() {
        Backend script = redis.scriptBackend();
        run(Steps.of(2_000), () -> script);
    }

    @Test
    void script_and_lock_engine_share_one_state() {
        Backend script = redis.scriptBackend();
        Backend lock = redis.lockBackend();
        run(Steps.underLock(2_000), () -> random.nextBoolean() ? script : lock);
    }

    private void run(int calls, Supplier<Backend> backends) {
        for (int call = 0; call < calls; call++) {
            moveClockALittle(10e6);
            Backend backend = backends.get();
            List<KeyRequests<?>> batch = randomBatch();
            decide(backend, batch);
            if (random.nextInt(5) == 0) {
                changeBehindTheScript(backend, batch.get(0).key());
            }
        }
    }

    @Test
    void holders_in_json_are_read_with_fields_of_a_later_version() {
        String key = redis.prefix() + "{k}:holders";
        String json = "{\"later\":[1],\"holders\":[{\"id\":9007199254740991,\"permits\":2,\"expiresMicros\":"
                + (redis.clock().micros() + 1) + ",\"leaseMicros\":30000000,\"later\":null}]}";
        for (Backend engine : List.of(redis.scriptBackend(), redis.lockBackend())) {
            RedisFixture.commands().set(key, json.getBytes(StandardCharsets.UTF_8));
            ConcurrencyLimit limit = ConcurrencyLimit.of(2);
            assertThat(decideIn(engine, key, limit, Request.hold(1, 1))).isEqualTo(verdict(false, 2, 0, 1, 1, 1));
            assertThat(decideIn(engine, key, limit, Request.renew(Request.MAX_ID))
                            .isGranted())
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
        store(key, new ConcurrencyLimit.State(List.of(holder, holder)));
        decide(redis.scriptBackend(), List.of(new KeyRequests<>(key, limit, requests)));
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
            Request request = switch (random.nextInt(10)) {
                case 0 -> Request.renew(id(key));
                case 1, 2 -> Request.release(id(key));
                case 3 -> Request.peek(1 + random.nextInt(6), 0);
                case 4, 5 -> Request.holdOrWait(id(key), random.nextInt(4) == 0 ? 1 + random.nextInt(7) : 1);
                default -> Request.hold(id(key), random.nextInt(4) == 0 ? 1 + random.nextInt(7) : 1);
            };
            int times = random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1;
            requests.addAll(Collections.nCopies(times, request));
        } while (random.nextInt(3) > 0);
        return requests;
    }

    /** Often one that is there. */
    private long id(String key) {
        ConcurrencyLimit.State state = state(key, ANY);
        if (state != null && !state.holders().isEmpty() && random.nextBoolean()) {
            return state.holders().get(random.nextInt(state.holders().size())).id();
        }
        return random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1 + random.nextLong(Request.MAX_ID);
    }
}
