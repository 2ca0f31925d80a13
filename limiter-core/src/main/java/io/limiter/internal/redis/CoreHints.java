package io.limiter.internal.redis;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LogUses;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image keeps of this module: the scripts, and the states that can be stored as JSON. */
final class CoreHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("io/limiter/redis/*.lua")
                .registerPattern("io/limiter/internal/redis/script/*.lua")
                .registerPattern("io/limiter/internal/redis/lock/*.lua");
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(
                        hints.reflection(),
                        RedisPermits.class,
                        FixedWindow.State.class,
                        SlidingLog.State.class,
                        LogUses.class,
                        SlidingCounter.State.class,
                        ConcurrencyLimit.State.class,
                        Ban.State.class);
    }
}
