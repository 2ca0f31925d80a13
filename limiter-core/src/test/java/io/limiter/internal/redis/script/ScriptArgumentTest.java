package io.limiter.internal.redis.script;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.redis.RedisFixture;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Garbled counts in the argument of a script end the call instead of keeping Redis busy for minutes. */
class ScriptArgumentTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final int TIMES_BYTES = Integer.BYTES;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    static Stream<LimitStep<?>> limits() {
        Duration minute = Duration.ofMinutes(1);
        return Stream.of(
                TokenBucket.of(1, 5),
                FixedWindow.of(5, minute),
                SlidingLog.of(5, minute),
                SlidingCounter.of(5, minute),
                ConcurrencyLimit.of(5),
                Ban.after(5));
    }

    static Stream<Request> requests() {
        return Stream.of(
                Request.take(1, DAY.toMillis() * 1000),
                Request.charge(1),
                Request.refund(1),
                Request.of(Request.Action.REFUND, 1, 0, 1));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void more_keys_than_the_call_has_are_an_error(LimitStep<?> limit) {
        ByteBuffer argument =
                argument(limit, limit instanceof ConcurrencyLimit ? Request.hold(1, 1) : Request.take(1, 0));
        argument.putInt(0, -1);
        assertThatThrownBy(() -> eval(limit, argument))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("keys");
    }

    @ParameterizedTest
    @MethodSource("requests")
    void more_requests_to_a_bucket_than_a_call_has_are_an_error(Request request) {
        TokenBucket bucket = TokenBucket.of(1e6, 1e6).withMaxWait(DAY);
        eval(bucket, argument(bucket, Request.take(1, 0)));
        ByteBuffer argument = argument(bucket, request);
        argument.putInt(argument.capacity() - TIMES_BYTES, -1);
        assertThatThrownBy(() -> eval(bucket, argument))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("requests");
    }

    private ByteBuffer argument(LimitStep<?> limit, Request request) {
        KeyRequests<?> keyRequests = new KeyRequests<>(key(limit), limit, List.of(request));
        byte[] argument = new BatchCall(
                        new Call(List.of(keyRequests), false, () -> true, answers -> {}),
                        LimitScripts.kindOf(limit),
                        0,
                        redis.clock().micros())
                .argument();
        return ByteBuffer.wrap(argument).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void eval(LimitStep<?> limit, ByteBuffer argument) {
        String script = LuaScript.fill(
                LuaScript.resource(LimitScripts.class, "batch.lua"),
                LimitScripts.of(limit).script());
        RedisFixture.commands()
                .eval(
                        redis.clockLua() + "\n" + script,
                        ScriptOutputType.MULTI,
                        new String[] {key(limit)},
                        argument.array());
    }

    private String key(LimitStep<?> limit) {
        return redis.prefix() + "{k}" + limit.keySuffix();
    }
}
