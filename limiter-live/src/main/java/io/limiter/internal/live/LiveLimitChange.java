package io.limiter.internal.live;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.LimitKind;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.named.LimitChange;
import io.limiter.live.LiveSettings;
import org.jspecify.annotations.Nullable;

/** The settings of a live limit as a change of limiters. */
record LiveLimitChange(LiveSettings settings) implements LimitChange {

    /** @return {@code null} if they override nothing */
    static @Nullable LiveLimitChange of(LiveSettings settings) {
        return settings.isEmpty() ? null : new LiveLimitChange(settings);
    }

    @Override
    public boolean concerns(AnyLimit own) {
        return settings.kind() == null || settings.kind() == LimitKind.of(own).orElse(null);
    }

    @Override
    public <L extends AnyLimit> L applied(L own) {
        return LiveLimitMapper.applied(own, settings);
    }

    @Override
    public @Nullable FailurePolicy failurePolicy() {
        return settings.failurePolicy();
    }

    @Override
    public @Nullable Known access() {
        return settings.access() == null
                ? null
                : switch (settings.access()) {
                    case EXEMPT -> Known.EXEMPT;
                    case BANNED -> Known.BANNED;
                };
    }
}
