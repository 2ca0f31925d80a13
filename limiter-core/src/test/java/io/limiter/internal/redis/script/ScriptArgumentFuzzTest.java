package io.limiter.internal.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.redis.RedisFixture;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.testing.Fuzz;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whatever argument a script gets, it ends with a reply or an error of Redis, and leaves a state from which a limiter grants no
 * more than its capacity, or says that it is none.
 */
class ScriptArgumentFuzzTest {

    private static final int CAPACITY = 5;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SECTION_BYTES = 6;
    private static final int RUN_BYTES = 20;
    /** The parameter that says whether more of them follow. */
    private static final int FLAGS = 2;

    private static final List<LimitStep<?>> LIMITS = List.of(
            TokenBucket.of(1, CAPACITY),
            FixedWindow.of(CAPACITY, MINUTE),
            SlidingLog.of(CAPACITY, MINUTE),
            SlidingCounter.of(CAPACITY, MINUTE),
            ConcurrencyLimit.of(CAPACITY));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void no_argument_yields_more_than_the_capacity() {
        redis.expectForeignValues();
        LimiterFactory limiters =
                redis.builder().rejectionCacheSize(0).build().with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        String batch = LuaScript.resource(LimitScripts.class, "batch.lua");
        Fuzz.run(10, random -> {
            int kind = random.nextInt(LIMITS.size());
            LimitStep<?> limit = LIMITS.get(kind);
            String key = redis.prefix() + "{k" + kind + ":x}" + limit.keySuffix();
            take(limiters, kind, random.nextInt(CAPACITY + 1));
            if (random.nextInt(4) == 0) {
                garbleState(random, key);
            }
            byte[] argument = argument(random, key, limit);
            String what = limit + " with " + HexFormat.of().formatHex(argument);
            try {
                List<?> reply = RedisFixture.commands()
                        .eval(
                                redis.clockLua() + "\n"
                                        + LuaScript.fill(
                                                batch, LimitScripts.of(limit).script()),
                                ScriptOutputType.MULTI,
                                new String[] {key},
                                argument);
                assertThat(reply.get(0)).as(what).isEqualTo(redis.clock().micros());
                assertThat(reply.get(1)).as(what).isInstanceOf(Long.class);
            } catch (RedisCommandExecutionException e) {
                assertThat(e).as(what).hasMessageContaining("ERR");
            }
            assertThat(RedisFixture.commands().pttl(key))
                    .as("TTL after " + what)
                    .isNotEqualTo(-1);
            assertThat(take(limiters, kind, CAPACITY + 2)).as(what).isLessThanOrEqualTo(CAPACITY);
            RedisFixture.commands().del(key);
        });
    }

    /** Returns how many were granted. */
    private static int take(LimiterFactory limiters, int kind, int requests) {
        LimitStep<?> limit = LIMITS.get(kind);
        List<CompletableFuture<?>> decisions = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            decisions.add(
                    limit instanceof ConcurrencyLimit
                            ? limiters.build(
                                            "k" + kind,
                                            ConcurrencyLimit.of(CAPACITY)
                                                    .withLeaseTime(ConcurrencyLimit.DEFAULT_LEASE_TIME))
                                    .on("x")
                                    .async()
                                    .tryAcquire()
                            : limiters.build("k" + kind, (Limit) limit)
                                    .on("x")
                                    .async()
                                    .tryAcquire());
        }
        int granted = 0;
        List<Lease> leases = new ArrayList<>();
        for (CompletableFuture<?> decision : decisions) {
            try {
                if (decision.join() instanceof Optional<?> lease) {
                    lease.map(Lease.class::cast).ifPresent(leases::add);
                } else if (decision.join().equals(true)) {
                    granted++;
                }
            } catch (CompletionException e) {
                assertThat(e.getCause()).isInstanceOf(LimiterBackendException.class);
                assertThat(((LimiterBackendException) e.getCause()).problem()).isEqualTo("unreadable");
            }
        }
        for (Lease lease : leases) {
            try {
                lease.close();
            } catch (LimiterBackendException e) {
                assertThat(e.problem()).isEqualTo("unreadable");
            }
        }
        return granted + leases.size();
    }

    private static void garbleState(Random random, String key) {
        byte[] state = RedisFixture.commands().get(key);
        if (state != null) {
            RedisFixture.commands().psetex(key, 600_000, Fuzz.mutated(random, state));
        }
    }

    private byte[] argument(Random random, String key, LimitStep<?> limit) {
        List<Request> requests = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            requests.add(
                    limit instanceof ConcurrencyLimit
                            ? Request.hold(1 + random.nextInt(9), 1 + random.nextInt(3))
                            : request(random));
        }
        KeyRequests<?> keyRequests = new KeyRequests<>(key, limit, requests);
        byte[] argument = new BatchCall(
                        new Call(List.of(keyRequests), false, () -> true, answers -> {}),
                        LimitScripts.kindOf(limit),
                        0,
                        redis.clock().micros())
                .argument();
        ByteBuffer fields = ByteBuffer.wrap(argument).order(ByteOrder.LITTLE_ENDIAN);
        int runs = fields.getShort(4);
        int runsAt = argument.length - runs * RUN_BYTES;
        for (int i = random.nextInt(4); i >= 0; i--) {
            int run = runsAt + random.nextInt(runs) * RUN_BYTES;
            switch (random.nextInt(7)) {
                case 0 -> fields.putInt(0, Fuzz.one(random, 0, 1, 2, 3, -1));
                case 1 ->
                    fields.putShort(4, Fuzz.one(random, (short) 0, (short) (runs + 1), (short) (runs + 3), (short) -1));
                case 2, 3 -> {
                    int parameter = random.nextInt((runsAt - SECTION_BYTES) / Double.BYTES);
                    if (parameter != FLAGS) {
                        fields.putDouble(SECTION_BYTES + Double.BYTES * parameter, number(random));
                    }
                }
                case 4 ->
                    fields.putDouble(
                            run, Fuzz.one(random, 0., -1., 1., 6., 0x1p31, 0x1p53 - 1, 1 - 0x1p53, number(random)));
                case 5 -> fields.putDouble(run + 8, number(random));
                default -> fields.putInt(run + 16, Fuzz.one(random, 0, 1, 2, 7, 1000, 1_000_000, -1));
            }
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(argument, random.nextInt(argument.length + 40)) : argument;
    }

    private static Request request(Random random) {
        long permits = Fuzz.one(random, 1L, 1L, 2L, (long) CAPACITY, CAPACITY + 1L, 1L << 31, Ranges.MAX_PERMITS);
        return switch (random.nextInt(6)) {
            case 0 -> Request.refund(permits);
            case 1 -> Request.peek(permits, 0);
            case 2 -> Request.take(permits, MINUTE.toMillis() * 1000);
            default -> Request.take(permits, 0);
        };
    }

    private static double number(Random random) {
        return Fuzz.one(
                random,
                0.,
                -0.,
                -1.,
                -2.,
                -3.,
                .5,
                1.,
                7.,
                1e-320,
                1e15,
                1e300,
                0x1p53,
                -0x1p53,
                0x1p63,
                1 / 0.,
                -1 / 0.,
                0 / 0.,
                random.nextDouble() * 1e7);
    }
}
