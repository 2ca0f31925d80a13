package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.ScriptOutputType;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.DistributedLock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class RedisLockTest extends DistributedLockContract {

    @Override
    DistributedLock lock(Duration lease) {
        return new RedisLock(RedisFixture.connections(), lease);
    }

    @Test
    void a_lease_of_zero_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(Duration.ofNanos(999_999)))
                .withMessage("lease must be between PT0.001S and PT24000H (ISO-8601), was PT0.000999999S");
    }

    /** As a client does it that has lost the reply. */
    @Test
    void a_call_that_is_sent_again_finds_its_own_lock() {
        String script = LuaScript.resource(RedisLock.class, "lock.lua");
        String key = redis.prefix() + "sent-again";
        Function<String, List<Long>> call = token -> RedisFixture.commands()
                .eval(
                        script,
                        ScriptOutputType.MULTI,
                        new String[] {key},
                        token.getBytes(StandardCharsets.UTF_8),
                        "60000".getBytes(StandardCharsets.UTF_8));
        assertThat(call.apply("one")).containsExactly(1L);
        assertThat(call.apply("one")).containsExactly(1L);
        assertThat(call.apply("another")).containsExactly(0L);
        RedisFixture.commands().del(key);
    }
}
