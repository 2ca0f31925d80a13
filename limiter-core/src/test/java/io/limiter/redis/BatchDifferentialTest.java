package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
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
import io.limiter.internal.backend.Answer;
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
 * As {@link DifferentialTest}, with batches: many keys of all kinds, long runs of equal
 * requests, peeks in between, and values that others stored in another encoding.
 */
class BatchDifferentialTest {

    private static final int CALLS = 1000;
    private static final int KEYS = 16;
    private static final List<String> KINDS = List.of("w", "b", "l", "c");

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Random random = Seed.random();
    private final StateCodec codec = new StateCodec();
    private final Map<String, Object> states = new HashMap<>();
    private final List<Long> tickets = new ArrayList<>();
    private final List<TokenBucket> buckets = List.of(
            TokenBucket.of(10, 100),
            TokenBucket.of(1.0 / 3, 31.4),
            TokenBucket.of(1e6, 0.001),
            TokenBucket.of(7, 20).withWhoWaits(WhoWaits.NEXT_CALLER),
            TokenBucket.of(0.7, 9).withStartsFull(false).withMaxWait(Duration.ofSeconds(20)),
            TokenBucket.perSecond(50).withWarmUp(new WarmUp(Duration.ofSeconds(3))));
    private final List<FixedWindow> windows = List.of(
            FixedWindow.of(1, Duration.ofSeconds(1)),
            FixedWindow.of(500, Duration.ofSeconds(60)),
            FixedWindow.of(100_000, Duration.ofMinutes(10)));

    private final List<SlidingLog> logs = List.of(
            SlidingLog.of(1, Duration.ofSeconds(1)),
            SlidingLog.of(5, Duration.ofMillis(4_500)),
            SlidingLog.of(70, Duration.ofSeconds(30)),
            SlidingLog.of(2_000, Duration.ofMinutes(3)));
    private final List<SlidingCounter> counters = List.of(
            SlidingCounter.of(1, Duration.ofSeconds(1)),
            SlidingCounter.of(500, Duration.ofSeconds(60)),
            SlidingCounter.of(100_000, Duration.ofMinutes(10)));

    @Test
    void batches_of_many_keys_and_requests_decide_as_java_does() {
        Backend engine = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        for (int call = 0; call < CALLS; call++) {
            redis.clock().sleep(random.nextInt(3) == 0 ? 0 : (long) (random.nextDouble() * 3e6));
            if (random.nextInt(40) == 0) {
                redis.clock().sleep(-(long) (random.nextDouble() * 2e7));
            }
            leaveAnotherSpelling();
            List<KeyRequests<?>> batch = randomBatch();
            List<List<Decision>> expected = new ArrayList<>();
            batch.forEach(asked -> expected.add(stepAll(asked)));
            String where = "call " + call;
            Supplier<String> what = () -> where + ", " + batch + Seed.hint();
            assertThat(decideIn(engine, batch))
                    .as(what)
                    .extracting(Answer::decisions)
                    .isEqualTo(expected);
            for (KeyRequests<?> asked : batch) {
                assertThat(stored(asked)).as(what).isEqualTo(states.get(asked.key()));
            }
        }
    }

    @Test
    void the_longest_run_of_equal_requests_decides_as_one_after_the_other() {
        Backend engine = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        List<Request> requests = Collections.nCopies(20_000, Request.take(3, 0));
        KeyRequests<?> bucket = new KeyRequests<>(key("b", 0), TokenBucket.of(1e5, 0.6), requests);
        KeyRequests<?> window = new KeyRequests<>(key("w", 0), FixedWindow.of(59_999, Duration.ofHours(1)), requests);
        List<List<Decision>> expected = List.of(stepAll(bucket), stepAll(window));
        assertThat(decideIn(engine, List.of(bucket, window)))
                .extracting(Answer::decisions)
                .isEqualTo(expected);
        assertThat(expected.get(0).get(19_999).granted()).isTrue();
        assertThat(expected.get(1).get(19_999).granted()).isFalse();
        assertThat(stored(bucket)).isEqualTo(states.get(bucket.key()));
    }

    private <S> List<Decision> stepAll(KeyRequests<S> asked) {
        @Nullable S state = asked.limit().stateType().cast(states.get(asked.key()));
        List<Decision> decisions = new ArrayList<>();
        for (Request request : asked.requests()) {
            Step<S> step = asked.limit().step(state, redis.clock().micros(), request);
            state = step.state();
            decisions.add(step.decision());
            if (step.decision().ticketMicros() != 0) {
                tickets.add(step.decision().ticketMicros());
            }
        }
        states.put(asked.key(), state);
        return decisions;
    }

    private List<KeyRequests<?>> randomBatch() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(key(KINDS.get(i % KINDS.size()), i));
        }
        Collections.shuffle(keys, random);
        List<KeyRequests<?>> batch = new ArrayList<>();
        List<Request> requests = randomRequests();
        for (String key : keys.subList(0, 1 + random.nextInt(KEYS))) {
            if (random.nextInt(3) == 0) {
                requests = randomRequests();
            }
            batch.add(new KeyRequests<>(key, limitFor(key), requests));
        }
        return batch;
    }

    /** Neighbours often have the same, and a key now and then has another. */
    private Limit<?> limitFor(String key) {
        List<? extends Limit<?>> limits = switch (key.charAt(key.indexOf('{') + 1)) {
            case 'w' -> windows;
            case 'l' -> logs;
            case 'c' -> counters;
            default -> buckets;
        };
        int usual = key.hashCode() / 7 % limits.size();
        return limits.get(random.nextInt(10) == 0 ? random.nextInt(limits.size()) : Math.abs(usual));
    }

    private List<Request> randomRequests() {
        List<Request> requests = new ArrayList<>();
        for (int run = 1 + random.nextInt(4); run > 0; run--) {
            int permits = random.nextInt(5) == 0 ? 1 + random.nextInt(200) : 1 + random.nextInt(3);
            long timeout = switch (random.nextInt(5)) {
                case 0 -> (long) (random.nextDouble() * 5e6);
                case 1 -> random.nextInt(3) == 0 ? Long.MAX_VALUE : 0;
                default -> 0;
            };
            Request request = switch (random.nextInt(14)) {
                case 0 -> Request.refund(permits);
                case 1 -> Request.charge(permits);
                case 2, 3 -> new Request(Request.Action.REFUND, permits, 0, randomTicket());
                default -> random.nextInt(6) == 0 ? Request.peek(permits, timeout) : Request.take(permits, timeout);
            };
            int times = random.nextInt(4) == 0 ? 1 + random.nextInt(300) : 1 + random.nextInt(4);
            requests.addAll(Collections.nCopies(times, request));
        }
        return requests;
    }

    /** Mostly one of the last that were given out, whatever the key. */
    private long randomTicket() {
        int back = random.nextInt(random.nextBoolean() ? 20 : 1000);
        return tickets.isEmpty() ? redis.clock().micros() : tickets.get(Math.max(0, tickets.size() - 1 - back));
    }

    /** As the lock engine or an {@code INCR} would store it, with the same values. */
    private void leaveAnotherSpelling() {
        int number = random.nextInt(KEYS);
        String key = key(KINDS.get(number % KINDS.size()), number);
        Object state = states.get(key);
        if (state == null) {
            return;
        }
        if (state instanceof FixedWindow.State window && random.nextBoolean()) {
            // Without a TTL its window starts when it is found, so it must be found now.
            String count = Long.toString((long) window.count());
            RedisFixture.commands().set(key, count.getBytes(StandardCharsets.US_ASCII));
            FixedWindow limit = windows.get(1);
            double end = (redis.clock().micros() + limit.periodMicros()) / 1000.0;
            states.put(key, new FixedWindow.State(window.count(), end));
            Request one = Request.take(1, 0);
            KeyRequests<FixedWindow.State> asked = new KeyRequests<>(key, limit, List.of(one, one, one));
            List<Decision> expected = stepAll(asked);
            assertThat(decideIn(
                                    new ScriptBackend(
                                            RedisFixture.calls(RedisFixture.connections()),
                                            redis.clockLua(),
                                            new KnownRejections(0)),
                                    List.of(asked))
                            .get(0)
                            .decisions())
                    .as("a counter of %s; %s", count, Seed.hint())
                    .isEqualTo(expected);
        } else {
            RedisFixture.commands().set(key, codec.write(state));
            RedisFixture.commands().expire(key, 3600);
        }
    }

    private String key(String kind, int number) {
        String suffix = kind.equals("l") ? ":log" : kind.equals("c") ? ":counter" : "";
        return redis.prefix() + "{" + kind + number + "}" + suffix;
    }

    /** What Redis holds, kept from expiring while simulated time goes its own way. */
    private <S> @Nullable S stored(KeyRequests<S> asked) {
        byte[] value = RedisFixture.commands().getex(asked.key(), GetExArgs.Builder.ex(3600));
        return value == null ? null : codec.read(asked.key(), value, asked.limit(), 0, 1);
    }
}
