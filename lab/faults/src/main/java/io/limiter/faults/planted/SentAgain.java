package io.limiter.faults.planted;

import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What becomes of a call whose bug sends it again, one time in fifty, if Redis may have executed it. Public for where it is planted. */
public record SentAgain(
        RedisCalls redis,
        LuaScript script,
        byte[][] keys,
        byte[][] arguments,
        BiConsumer<@Nullable List<Object>, @Nullable Throwable> ended)
        implements BiConsumer<@Nullable List<Object>, @Nullable Throwable> {

    @Override
    public void accept(@Nullable List<Object> reply, @Nullable Throwable error) {
        if (error != null
                && RedisErrors.of("", error).isAmbiguous()
                && ThreadLocalRandom.current().nextInt(50) == 0) {
            Thread again = new Thread(() -> {
                // Until there is a connection.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                redis.start(script, Duration.ofMinutes(1), keys, arguments);
            });
            again.setDaemon(true);
            again.start();
        }
        ended.accept(reply, error);
    }
}
