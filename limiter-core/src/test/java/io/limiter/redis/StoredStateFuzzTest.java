package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.testing.Fuzz;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is stored under a key is a limiter's state or an error that says so, in Java and in the scripts alike: no other error,
 * no endless loop, and never a fresh start.
 */
class StoredStateFuzzTest {

    private static final int BATCH = 100;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final List<LimitStep<?>> LIMITS = List.of(
            TokenBucket.of(5, 2),
            FixedWindow.of(5, MINUTE),
            SlidingLog.of(5, MINUTE),
            SlidingCounter.of(5, MINUTE),
            ConcurrencyLimit.of(5),
            Ban.after(3));

    private static final String[] JSON = {
        "0",
        "-1",
        "1",
        "0.5",
        "1e999",
        "-1e999",
        "1e308",
        "1e15",
        "9007199254740993",
        "null",
        "true",
        "\"1\"",
        "[]",
        "{}",
        "[1]",
        "[1,2]",
        "[null]",
        "NaN",
        "0x1",
        "01",
        "1e",
        "{\"a\":1,\"a\":2}",
        "[".repeat(1100),
        "\"\\u0000\"",
        "\"\ud83d\""
    };

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final StateCodec codec = new StateCodec();
    private final Map<LimitStep<?>, List<byte[]>> written = new LinkedHashMap<>();

    @Test
    void java_reads_a_state_or_says_that_it_is_none() {
        states();
        long now = redis.clock().micros();
        Fuzz.run(40, random -> {
            LimitStep<?> limit = LIMITS.get(random.nextInt(LIMITS.size()));
            assertThat(problem(limit, value(random, limit), now)).isIn("", "unreadable");
        });
    }

    @Test
    void scripts_read_what_java_reads() {
        states();
        // Values change behind the limiters' back.
        LimiterFactory limiters = redis.withoutRejectionCache();
        long now = redis.clock().micros();
        List<Case> batch = new ArrayList<>();
        Fuzz.run(10, random -> {
            LimitStep<?> limit = LIMITS.get(random.nextInt(LIMITS.size()));
            batch.add(new Case(limit, value(random, limit)));
            if (batch.size() == BATCH) {
                tryAll(limiters, batch, now);
                batch.clear();
            }
        });
        tryAll(limiters, batch, now);
    }

    private void tryAll(LimiterFactory limiters, List<Case> batch, long now) {
        if (batch.isEmpty()) {
            return;
        }
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            values.put(key(batch.get(i).limit, i), batch.get(i).value);
        }
        RedisFixture.commands().mset(values);
        List<CompletableFuture<?>> decisions = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            LimitStep<?> limit = batch.get(i).limit;
            String name = "k" + LIMITS.indexOf(limit);
            decisions.add(
                    limit instanceof ConcurrencyLimit
                            ? limiters.build(
                                            name,
                                            ConcurrencyLimit.of(5).withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                                    .on("" + i)
                                    .async()
                                    .tryAcquire()
                            : (limit instanceof Ban ban
                                            ? limiters.with(LimiterOptions.NONE.withBan(ban))
                                                    .build(name, FixedWindow.of(5, MINUTE))
                                            : limiters.build(name, (Limit) limit))
                                    .on("" + i)
                                    .async()
                                    .decide(1));
        }
        for (int i = 0; i < batch.size(); i++) {
            String byScript;
            try {
                if (decisions.get(i).join() instanceof Optional<?> lease) {
                    lease.map(Lease.class::cast).ifPresent(Lease::close);
                }
                byScript = "";
            } catch (CompletionException e) {
                assertThat(e.getCause()).isInstanceOf(LimiterBackendException.class);
                byScript = ((LimiterBackendException) e.getCause()).problem();
            }
            String inJava = problem(batch.get(i).limit, batch.get(i).value, now);
            // Of a log, the script looks only at the entries that decide, and Redis's parser of JSON is the more
            // lenient one.
            boolean lenient = batch.get(i).limit instanceof SlidingLog
                    || batch.get(i).value.length > 0 && batch.get(i).value[0] == '{';
            assertThat(byScript)
                    .as(batch.get(i)::toString)
                    .isIn(inJava, lenient && inJava.equals("unreadable") ? "" : inJava);
        }
        RedisFixture.commands().del(values.keySet().toArray(new String[0]));
    }

    private String key(LimitStep<?> limit, int i) {
        return redis.prefix() + "{" + i + "}{k" + LIMITS.indexOf(limit) + "}" + limit.keySuffix();
    }

    /** Empty if Java reads the value and steps from there. */
    private <S> String problem(LimitStep<S> limit, byte[] value, long now) {
        try {
            S state = codec.read("k", value, limit, now, -1);
            limit.step(state, now, limit instanceof ConcurrencyLimit ? Request.hold(77, 1) : Request.take(1, 0));
            return "";
        } catch (LimiterBackendException e) {
            return e.problem();
        }
    }

    /** What the scripts write, and Java. */
    private void states() {
        LimiterFactory limiters = redis.byScript();
        for (LimitStep<?> limit : LIMITS) {
            List<byte[]> states = new ArrayList<>();
            String name = "w" + LIMITS.indexOf(limit);
            String key = redis.prefix() + "{" + name + "}" + limit.keySuffix();
            for (int i = 0; i < 5; i++) {
                if (limit instanceof ConcurrencyLimit) {
                    limiters.build(name, ConcurrencyLimit.of(5).withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                            .acquire(1, Duration.ZERO);
                } else if (limit instanceof Ban) {
                    decideIn(redis.scriptBackend(), key, limit, Request.charge(1));
                } else {
                    limiters.build(name, (Limit) limit).tryAcquire();
                }
                byte[] packed = RedisFixture.commands().get(key);
                if (packed == null) {
                    continue;
                }
                states.add(packed);
                states.add(
                        codec.write(codec.read(key, packed, limit, redis.clock().micros(), 1000)));
                redis.clock().sleep(700_000);
            }
            states.add("12".getBytes(StandardCharsets.US_ASCII));
            written.put(limit, states);
        }
    }

    private byte[] value(Random random, LimitStep<?> limit) {
        // Also that of another kind.
        List<byte[]> states = written.get(random.nextInt(8) == 0 ? LIMITS.get(random.nextInt(LIMITS.size())) : limit);
        byte[] state = states.get(random.nextInt(states.size()));
        if (state[0] == '{' && random.nextBoolean()) {
            return changedNumbers(random, new String(state, StandardCharsets.UTF_8))
                    .getBytes(StandardCharsets.UTF_8);
        }
        return Fuzz.mutated(random, state);
    }

    private static String changedNumbers(Random random, String json) {
        StringBuilder changed = new StringBuilder();
        int at = 0;
        var numbers = java.util.regex.Pattern.compile("(?<=[:,\\[])[-0-9.E]+|\"\\w+\":")
                .matcher(json);
        while (numbers.find()) {
            changed.append(json, at, numbers.start());
            at = numbers.end();
            boolean name = json.charAt(numbers.start()) == '"';
            if (random.nextInt(4) != 0) {
                changed.append(numbers.group());
            } else if (!name) {
                changed.append(Fuzz.one(random, JSON));
            }
        }
        return changed.append(json.substring(at)).toString();
    }

    private record Case(LimitStep<?> limit, byte[] value) {
        @Override
        public String toString() {
            return limit + " with " + java.util.HexFormat.of().formatHex(value) + " "
                    + new String(value, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "?");
        }
    }
}
